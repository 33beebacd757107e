//! The ops of the group `image`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AdjustContrastv2`.
    ///
    /// ```text
    /// AdjustContrastv2(images: T, contrast_factor: float) -> (output: T)
    ///   T: type in {half, float} = float
    /// ```
    adjust_contrastv2 AdjustContrastv2 images (images: one "images", contrast_factor: one "contrast_factor") -> one {}

    /// Begins a node of `AdjustHue`.
    ///
    /// ```text
    /// AdjustHue(images: T, delta: float) -> (output: T)
    ///   T: type in {half, float} = float
    /// ```
    adjust_hue AdjustHue images (images: one "images", delta: one "delta") -> one {}

    /// Begins a node of `AdjustSaturation`.
    ///
    /// ```text
    /// AdjustSaturation(images: T, scale: float) -> (output: T)
    ///   T: type in {half, float} = float
    /// ```
    adjust_saturation AdjustSaturation images (images: one "images", scale: one "scale") -> one {}

    /// Begins a node of `CropAndResize`.
    ///
    /// ```text
    /// CropAndResize(image: T, boxes: float, box_ind: int32, crop_size: int32) -> (crops: float)
    ///   T: type in {uint8, uint16, int8, int16, int32, int64, half, float, double}
    ///   method: string in ["bilinear", "nearest"] = 'bilinear'
    ///   extrapolation_value: float = 0
    /// ```
    crop_and_resize CropAndResize image (image: one "image", boxes: one "boxes", box_ind: one "box_ind", crop_size: one "crop_size") -> one {
        /// Sets `method: string in ["bilinear", "nearest"] = 'bilinear'`.
        method: string "method";
        /// Sets `extrapolation_value: float = 0`.
        extrapolation_value: float "extrapolation_value";
    }

    /// Begins a node of `CropAndResizeGradBoxes`.
    ///
    /// ```text
    /// CropAndResizeGradBoxes(grads: float, image: T, boxes: float, box_ind: int32) -> (output: float)
    ///   T: type in {uint8, uint16, int8, int16, int32, int64, half, float, double}
    ///   method: string in ["bilinear"] = 'bilinear'
    /// ```
    crop_and_resize_grad_boxes CropAndResizeGradBoxes grads (grads: one "grads", image: one "image", boxes: one "boxes", box_ind: one "box_ind") -> one {
        /// Sets `method: string in ["bilinear"] = 'bilinear'`.
        method: string "method";
    }

    /// Begins a node of `CropAndResizeGradImage`.
    ///
    /// ```text
    /// CropAndResizeGradImage(grads: float, boxes: float, box_ind: int32, image_size: int32) -> (output: T)
    ///   T: type in {float, half, double}
    ///   method: string in ["bilinear", "nearest"] = 'bilinear'
    /// ```
    crop_and_resize_grad_image CropAndResizeGradImage grads (grads: one "grads", boxes: one "boxes", box_ind: one "box_ind", image_size: one "image_size", t: dtype "T") -> one {
        /// Sets `method: string in ["bilinear", "nearest"] = 'bilinear'`.
        method: string "method";
    }

    /// Begins a node of `DecodeBmp`.
    ///
    /// ```text
    /// DecodeBmp(contents: string) -> (image: uint8)
    ///   channels: int = 0
    /// ```
    decode_bmp DecodeBmp contents (contents: one "contents") -> one {
        /// Sets `channels: int = 0`.
        channels: int "channels";
    }

    /// Begins a node of `DecodeJpeg`.
    ///
    /// ```text
    /// DecodeJpeg(contents: string) -> (image: uint8)
    ///   channels: int = 0
    ///   ratio: int = 1
    ///   fancy_upscaling: bool = true
    ///   try_recover_truncated: bool = false
    ///   acceptable_fraction: float = 1
    ///   dct_method: string = ''
    /// ```
    decode_jpeg DecodeJpeg contents (contents: one "contents") -> one {
        /// Sets `channels: int = 0`.
        channels: int "channels";
        /// Sets `ratio: int = 1`.
        ratio: int "ratio";
        /// Sets `fancy_upscaling: bool = true`.
        fancy_upscaling: bool "fancy_upscaling";
        /// Sets `try_recover_truncated: bool = false`.
        try_recover_truncated: bool "try_recover_truncated";
        /// Sets `acceptable_fraction: float = 1`.
        acceptable_fraction: float "acceptable_fraction";
        /// Sets `dct_method: string = ''`.
        dct_method: string "dct_method";
    }

    /// Begins a node of `DecodePng`.
    ///
    /// ```text
    /// DecodePng(contents: string) -> (image: dtype)
    ///   channels: int = 0
    ///   dtype: type in {uint8, uint16} = uint8
    /// ```
    decode_png DecodePng contents (contents: one "contents") -> one {
        /// Sets `channels: int = 0`.
        channels: int "channels";
        /// Sets `dtype: type in {uint8, uint16} = uint8`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `DrawBoundingBoxes`.
    ///
    /// ```text
    /// DrawBoundingBoxes(images: T, boxes: float) -> (output: T)
    ///   T: type in {float, half} = float
    /// ```
    draw_bounding_boxes DrawBoundingBoxes images (images: one "images", boxes: one "boxes") -> one {}

    /// Begins a node of `DrawBoundingBoxesV2`.
    ///
    /// ```text
    /// DrawBoundingBoxesV2(images: T, boxes: float, colors: float) -> (output: T)
    ///   T: type in {float, half} = float
    /// ```
    draw_bounding_boxes_v2 DrawBoundingBoxesV2 images (images: one "images", boxes: one "boxes", colors: one "colors") -> one {}

    /// Begins a node of `EncodePng`.
    ///
    /// ```text
    /// EncodePng(image: T) -> (contents: string)
    ///   compression: int = -1
    ///   T: type in {uint8, uint16} = uint8
    /// ```
    encode_png EncodePng image (image: one "image") -> one {
        /// Sets `compression: int = -1`.
        compression: int "compression";
    }

    /// Begins a node of `ExtractImagePatches`.
    ///
    /// ```text
    /// ExtractImagePatches(images: T) -> (patches: T)
    ///   ksizes: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   rates: list(int) >= 4
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64,
    ///     complex128, bool}
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    extract_image_patches ExtractImagePatches images (images: one "images", ksizes: ints "ksizes", strides: ints "strides", rates: ints "rates", padding: string "padding") -> one {}

    /// Begins a node of `HSVToRGB`.
    ///
    /// ```text
    /// HSVToRGB(images: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double} = float
    /// ```
    hsv_to_rgb HSVToRGB images (images: one "images") -> one {}

    /// Begins a node of `NonMaxSuppression`.
    ///
    /// ```text
    /// NonMaxSuppression(boxes: float, scores: float, max_output_size: int32) -> (selected_indices: int32)
    ///   iou_threshold: float = 0.5
    /// ```
    non_max_suppression NonMaxSuppression boxes (boxes: one "boxes", scores: one "scores", max_output_size: one "max_output_size") -> one {
        /// Sets `iou_threshold: float = 0.5`.
        iou_threshold: float "iou_threshold";
    }

    /// Begins a node of `NonMaxSuppressionV2`.
    ///
    /// ```text
    /// NonMaxSuppressionV2(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold) ->
    ///     (selected_indices: int32)
    ///   T: type in {half, float} = float
    ///   T_threshold: type in {half, float} = float
    /// ```
    non_max_suppression_v2 NonMaxSuppressionV2 boxes (boxes: one "boxes", scores: one "scores", max_output_size: one "max_output_size", iou_threshold: one "iou_threshold") -> one {}

    /// Begins a node of `NonMaxSuppressionV3`.
    ///
    /// ```text
    /// NonMaxSuppressionV3(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold:
    ///     T_threshold) -> (selected_indices: int32)
    ///   T: type in {half, float} = float
    ///   T_threshold: type in {half, float} = float
    /// ```
    non_max_suppression_v3 NonMaxSuppressionV3 boxes (boxes: one "boxes", scores: one "scores", max_output_size: one "max_output_size", iou_threshold: one "iou_threshold", score_threshold: one "score_threshold") -> one {}

    /// Begins a node of `RGBToHSV`.
    ///
    /// ```text
    /// RGBToHSV(images: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double} = float
    /// ```
    rgb_to_hsv RGBToHSV images (images: one "images") -> one {}

    /// Begins a node of `ResizeArea`.
    ///
    /// ```text
    /// ResizeArea(images: T, size: int32) -> (resized_images: float)
    ///   T: type in {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}
    ///   align_corners: bool = false
    /// ```
    resize_area ResizeArea images (images: one "images", size: one "size") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
    }

    /// Begins a node of `ResizeBicubic`.
    ///
    /// ```text
    /// ResizeBicubic(images: T, size: int32) -> (resized_images: float)
    ///   T: type in {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}
    ///   align_corners: bool = false
    ///   half_pixel_centers: bool = false
    /// ```
    resize_bicubic ResizeBicubic images (images: one "images", size: one "size") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
        /// Sets `half_pixel_centers: bool = false`.
        half_pixel_centers: bool "half_pixel_centers";
    }

    /// Begins a node of `ResizeBicubicGrad`.
    ///
    /// ```text
    /// ResizeBicubicGrad(grads: float, original_image: T) -> (output: T)
    ///   T: type in {float, double}
    ///   align_corners: bool = false
    ///   half_pixel_centers: bool = false
    /// ```
    resize_bicubic_grad ResizeBicubicGrad grads (grads: one "grads", original_image: one "original_image") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
        /// Sets `half_pixel_centers: bool = false`.
        half_pixel_centers: bool "half_pixel_centers";
    }

    /// Begins a node of `ResizeBilinear`.
    ///
    /// ```text
    /// ResizeBilinear(images: T, size: int32) -> (resized_images: float)
    ///   T: type in {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}
    ///   align_corners: bool = false
    ///   half_pixel_centers: bool = false
    /// ```
    resize_bilinear ResizeBilinear images (images: one "images", size: one "size") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
        /// Sets `half_pixel_centers: bool = false`.
        half_pixel_centers: bool "half_pixel_centers";
    }

    /// Begins a node of `ResizeBilinearGrad`.
    ///
    /// ```text
    /// ResizeBilinearGrad(grads: float, original_image: T) -> (output: T)
    ///   T: type in {float, bfloat16, half, double}
    ///   align_corners: bool = false
    ///   half_pixel_centers: bool = false
    /// ```
    resize_bilinear_grad ResizeBilinearGrad grads (grads: one "grads", original_image: one "original_image") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
        /// Sets `half_pixel_centers: bool = false`.
        half_pixel_centers: bool "half_pixel_centers";
    }

    /// Begins a node of `ResizeNearestNeighbor`.
    ///
    /// ```text
    /// ResizeNearestNeighbor(images: T, size: int32) -> (resized_images: T)
    ///   T: type in {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}
    ///   align_corners: bool = false
    ///   half_pixel_centers: bool = false
    /// ```
    resize_nearest_neighbor ResizeNearestNeighbor images (images: one "images", size: one "size") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
        /// Sets `half_pixel_centers: bool = false`.
        half_pixel_centers: bool "half_pixel_centers";
    }

    /// Begins a node of `ResizeNearestNeighborGrad`.
    ///
    /// ```text
    /// ResizeNearestNeighborGrad(grads: T, size: int32) -> (output: T)
    ///   T: type in {uint8, int8, int32, half, float, double, bfloat16}
    ///   align_corners: bool = false
    ///   half_pixel_centers: bool = false
    /// ```
    resize_nearest_neighbor_grad ResizeNearestNeighborGrad grads (grads: one "grads", size: one "size") -> one {
        /// Sets `align_corners: bool = false`.
        align_corners: bool "align_corners";
        /// Sets `half_pixel_centers: bool = false`.
        half_pixel_centers: bool "half_pixel_centers";
    }
}
