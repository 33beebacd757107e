"""Layers (`tf.layers`): functions that make variables and operations in one call, and the classes behind them."""

from __future__ import annotations

from tensorfleet._layers.conv_functions import (
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    separable_conv1d,
    separable_conv2d,
)
from tensorfleet._layers.convolution import Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from tensorfleet._layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from tensorfleet._layers.layer import InputSpec, Layer
from tensorfleet._layers.normalization import BatchNormalization, batch_normalization
from tensorfleet._layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)
from tensorfleet._layers.separable import SeparableConv1D, SeparableConv2D

Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution2DTranspose = Deconvolution2D = Deconv2D = Conv2DTranspose
Convolution3DTranspose = Deconvolution3D = Deconv3D = Conv3DTranspose
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
BatchNorm, batch_norm = BatchNormalization, batch_normalization
convolution1d, convolution2d, convolution3d = conv1d, conv2d, conv3d
deconv2d = convolution2d_transpose = conv2d_transpose
deconv3d = convolution3d_transpose = conv3d_transpose
separable_convolution2d = separable_conv2d
