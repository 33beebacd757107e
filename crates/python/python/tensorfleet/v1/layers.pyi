# Written by stubs.py; do not edit.

from tensorfleet._layers.pooling import AveragePooling1D as AveragePooling1D
from tensorfleet._layers.pooling import AveragePooling2D as AveragePooling2D
from tensorfleet._layers.pooling import AveragePooling3D as AveragePooling3D
from tensorfleet._layers.pooling import AveragePooling1D as AvgPool1D
from tensorfleet._layers.pooling import AveragePooling2D as AvgPool2D
from tensorfleet._layers.pooling import AveragePooling3D as AvgPool3D
from tensorfleet._layers.normalization import BatchNormalization as BatchNorm
from tensorfleet._layers.normalization import BatchNormalization as BatchNormalization
from tensorfleet._layers.convolution import Conv1D as Conv1D
from tensorfleet._layers.convolution import Conv2D as Conv2D
from tensorfleet._layers.convolution import Conv2DTranspose as Conv2DTranspose
from tensorfleet._layers.convolution import Conv3D as Conv3D
from tensorfleet._layers.convolution import Conv3DTranspose as Conv3DTranspose
from tensorfleet._layers.convolution import Conv1D as Convolution1D
from tensorfleet._layers.convolution import Conv2D as Convolution2D
from tensorfleet._layers.convolution import Conv2DTranspose as Convolution2DTranspose
from tensorfleet._layers.convolution import Conv3D as Convolution3D
from tensorfleet._layers.convolution import Conv3DTranspose as Convolution3DTranspose
from tensorfleet._layers.convolution import Conv2DTranspose as Deconv2D
from tensorfleet._layers.convolution import Conv3DTranspose as Deconv3D
from tensorfleet._layers.convolution import Conv2DTranspose as Deconvolution2D
from tensorfleet._layers.convolution import Conv3DTranspose as Deconvolution3D
from tensorfleet._layers.core import Dense as Dense
from tensorfleet._layers.core import Dropout as Dropout
from tensorfleet._layers.core import Flatten as Flatten
from tensorfleet._layers.layer import InputSpec as InputSpec
from tensorfleet._layers.layer import Layer as Layer
from tensorfleet._layers.pooling import MaxPooling1D as MaxPool1D
from tensorfleet._layers.pooling import MaxPooling2D as MaxPool2D
from tensorfleet._layers.pooling import MaxPooling3D as MaxPool3D
from tensorfleet._layers.pooling import MaxPooling1D as MaxPooling1D
from tensorfleet._layers.pooling import MaxPooling2D as MaxPooling2D
from tensorfleet._layers.pooling import MaxPooling3D as MaxPooling3D
from tensorfleet._layers.separable import SeparableConv1D as SeparableConv1D
from tensorfleet._layers.separable import SeparableConv2D as SeparableConv2D
from tensorfleet._layers.separable import SeparableConv1D as SeparableConvolution1D
from tensorfleet._layers.separable import SeparableConv2D as SeparableConvolution2D
from tensorfleet._layers.pooling import average_pooling1d as average_pooling1d
from tensorfleet._layers.pooling import average_pooling2d as average_pooling2d
from tensorfleet._layers.pooling import average_pooling3d as average_pooling3d
from tensorfleet._layers.normalization import batch_normalization as batch_norm
from tensorfleet._layers.normalization import batch_normalization as batch_normalization
from tensorfleet._layers.conv_functions import conv1d as conv1d
from tensorfleet._layers.conv_functions import conv2d as conv2d
from tensorfleet._layers.conv_functions import conv2d_transpose as conv2d_transpose
from tensorfleet._layers.conv_functions import conv3d as conv3d
from tensorfleet._layers.conv_functions import conv3d_transpose as conv3d_transpose
from tensorfleet._layers.conv_functions import conv1d as convolution1d
from tensorfleet._layers.conv_functions import conv2d as convolution2d
from tensorfleet._layers.conv_functions import conv2d_transpose as convolution2d_transpose
from tensorfleet._layers.conv_functions import conv3d as convolution3d
from tensorfleet._layers.conv_functions import conv3d_transpose as convolution3d_transpose
from tensorfleet._layers.conv_functions import conv2d_transpose as deconv2d
from tensorfleet._layers.conv_functions import conv3d_transpose as deconv3d
from tensorfleet._layers.core import dense as dense
from tensorfleet._layers.core import dropout as dropout
from tensorfleet._layers.core import flatten as flatten
from tensorfleet._layers.pooling import max_pooling1d as max_pooling1d
from tensorfleet._layers.pooling import max_pooling2d as max_pooling2d
from tensorfleet._layers.pooling import max_pooling3d as max_pooling3d
from tensorfleet._layers.conv_functions import separable_conv1d as separable_conv1d
from tensorfleet._layers.conv_functions import separable_conv2d as separable_conv2d
from tensorfleet._layers.conv_functions import separable_conv2d as separable_convolution2d

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "AvgPool1D", "AvgPool2D", "AvgPool3D", "BatchNorm",
    "BatchNormalization", "Conv1D", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Convolution1D",
    "Convolution2D", "Convolution2DTranspose", "Convolution3D", "Convolution3DTranspose", "Deconv2D", "Deconv3D",
    "Deconvolution2D", "Deconvolution3D", "Dense", "Dropout", "Flatten", "InputSpec", "Layer", "MaxPool1D", "MaxPool2D",
    "MaxPool3D", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D",
    "SeparableConvolution1D", "SeparableConvolution2D", "average_pooling1d", "average_pooling2d", "average_pooling3d",
    "batch_norm", "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "convolution1d", "convolution2d", "convolution2d_transpose", "convolution3d", "convolution3d_transpose", "deconv2d",
    "deconv3d", "dense", "dropout", "flatten", "max_pooling1d", "max_pooling2d", "max_pooling3d", "separable_conv1d",
    "separable_conv2d", "separable_convolution2d"
]
