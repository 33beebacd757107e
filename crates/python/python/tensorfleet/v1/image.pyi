# Written by stubs.py; do not edit.

from typing import Any
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.image_geometry import ResizeMethod as ResizeMethod
from tensorfleet._ops.image_color import adjust_brightness as adjust_brightness
from tensorfleet._ops.image_color import adjust_contrast as adjust_contrast
from tensorfleet._ops.image_color import adjust_gamma as adjust_gamma
from tensorfleet._ops.image_color import adjust_hue as adjust_hue
from tensorfleet._ops.image_color import adjust_saturation as adjust_saturation
from tensorfleet._ops.image_geometry import central_crop as central_crop
from tensorfleet._ops.image_boxes import combined_non_max_suppression as combined_non_max_suppression
from tensorfleet._ops.image_color import convert_image_dtype as convert_image_dtype
from tensorfleet._ops.image_geometry import crop_and_resize as crop_and_resize
from tensorfleet._ops.image_geometry import crop_to_bounding_box as crop_to_bounding_box
from tensorfleet._ops.image_codec import decode_and_crop_jpeg as decode_and_crop_jpeg
from tensorfleet._ops.image_codec import decode_bmp as decode_bmp
from tensorfleet._ops.image_codec import decode_gif as decode_gif
from tensorfleet._ops.image_codec import decode_image as decode_image
from tensorfleet._ops.image_codec import decode_jpeg as decode_jpeg
from tensorfleet._ops.image_codec import decode_png as decode_png
from tensorfleet._ops.image_geometry import draw_bounding_boxes as draw_bounding_boxes
from tensorfleet._ops.image_codec import encode_jpeg as encode_jpeg
from tensorfleet._ops.image_codec import encode_png as encode_png
from tensorfleet._ops.image_geometry import extract_image_patches as extract_image_patches
from tensorfleet._ops.image_codec import extract_jpeg_shape as extract_jpeg_shape
from tensorfleet._ops.image_geometry import flip_left_right as flip_left_right
from tensorfleet._ops.image_geometry import flip_up_down as flip_up_down
from tensorfleet._ops.image_color import grayscale_to_rgb as grayscale_to_rgb
from tensorfleet._ops.image_color import hsv_to_rgb as hsv_to_rgb
from tensorfleet._ops.image_geometry import image_gradients as image_gradients
from tensorfleet._ops.image_codec import is_jpeg as is_jpeg
from tensorfleet._ops.image_geometry import non_max_suppression as non_max_suppression
from tensorfleet._ops.image_boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from tensorfleet._ops.image_boxes import non_max_suppression_padded as non_max_suppression_padded
from tensorfleet._ops.image_boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from tensorfleet._ops.image_geometry import pad_to_bounding_box as pad_to_bounding_box
from tensorfleet._ops.image_color import per_image_standardization as per_image_standardization
from tensorfleet._ops.image_color import per_image_standardization as per_image_whitening
from tensorfleet._ops.image_color import psnr as psnr
from tensorfleet._ops.image_color import random_brightness as random_brightness
from tensorfleet._ops.image_color import random_contrast as random_contrast
from tensorfleet._ops.image_geometry import random_crop as random_crop
from tensorfleet._ops.image_geometry import random_flip_left_right as random_flip_left_right
from tensorfleet._ops.image_geometry import random_flip_up_down as random_flip_up_down
from tensorfleet._ops.image_color import random_hue as random_hue
from tensorfleet._ops.image_color import random_saturation as random_saturation
from tensorfleet._ops.image_geometry import resize_images as resize
def resize_area(images: Any, size: Any, align_corners: bool = ..., name: str | None = ..., half_pixel_centers: bool = ...) -> Tensor: ...
def resize_bicubic(images: Any, size: Any, align_corners: bool = ..., name: str | None = ..., half_pixel_centers: bool = ...) -> Tensor: ...
def resize_bilinear(images: Any, size: Any, align_corners: bool = ..., name: str | None = ..., half_pixel_centers: bool = ...) -> Tensor: ...
from tensorfleet._ops.image_geometry import resize_image_with_crop_or_pad as resize_image_with_crop_or_pad
from tensorfleet._ops.image_geometry import resize_image_with_pad as resize_image_with_pad
from tensorfleet._ops.image_geometry import resize_images as resize_images
def resize_nearest_neighbor(images: Any, size: Any, align_corners: bool = ..., name: str | None = ..., half_pixel_centers: bool = ...) -> Tensor: ...
from tensorfleet._ops.image_geometry import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from tensorfleet._ops.image_color import rgb_to_grayscale as rgb_to_grayscale
from tensorfleet._ops.image_color import rgb_to_hsv as rgb_to_hsv
from tensorfleet._ops.image_color import rgb_to_yiq as rgb_to_yiq
from tensorfleet._ops.image_color import rgb_to_yuv as rgb_to_yuv
from tensorfleet._ops.image_geometry import rot90 as rot90
from tensorfleet._ops.image_boxes import sample_distorted_bounding_box as sample_distorted_bounding_box
from tensorfleet._ops.image_geometry import sobel_edges as sobel_edges
from tensorfleet._ops.image_geometry import total_variation as total_variation
from tensorfleet._ops.image_geometry import transpose as transpose
from tensorfleet._ops.image_geometry import transpose as transpose_image
from tensorfleet._ops.image_color import yiq_to_rgb as yiq_to_rgb
from tensorfleet._ops.image_color import yuv_to_rgb as yuv_to_rgb

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize", "crop_to_bounding_box",
    "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png",
    "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_image_patches", "extract_jpeg_shape",
    "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb", "image_gradients", "is_jpeg",
    "non_max_suppression", "non_max_suppression_overlaps", "non_max_suppression_padded",
    "non_max_suppression_with_scores", "pad_to_bounding_box", "per_image_standardization", "per_image_whitening",
    "psnr", "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down",
    "random_hue", "random_saturation", "resize", "resize_area", "resize_bicubic", "resize_bilinear",
    "resize_image_with_crop_or_pad", "resize_image_with_pad", "resize_images", "resize_nearest_neighbor",
    "resize_with_crop_or_pad", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90",
    "sample_distorted_bounding_box", "sobel_edges", "total_variation", "transpose", "transpose_image", "yiq_to_rgb",
    "yuv_to_rgb"
]
