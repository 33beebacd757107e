//! The ops of the group `image`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AdjustContrast`.
    ///
    /// ```text
    /// AdjustContrast(images: T, contrast_factor: float, min_value: float, max_value: float) -> (output: float)
    ///   T: type in {uint8, int8, int16, int32, int64, float, double}
    /// ```
    adjust_contrast AdjustContrast images (images: one "images", contrast_factor: one "contrast_factor", min_value: one "min_value", max_value: one "max_value") -> one {}

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

    /// Begins a node of `CombinedNonMaxSuppression`.
    ///
    /// ```text
    /// CombinedNonMaxSuppression(boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32,
    ///     iou_threshold: float, score_threshold: float) -> (nmsed_boxes: float, nmsed_scores: float, nmsed_classes:
    ///     float, valid_detections: int32)
    ///   pad_per_class: bool = false
    ///   clip_boxes: bool = true
    /// ```
    combined_non_max_suppression CombinedNonMaxSuppression boxes (boxes: one "boxes", scores: one "scores", max_output_size_per_class: one "max_output_size_per_class", max_total_size: one "max_total_size", iou_threshold: one "iou_threshold", score_threshold: one "score_threshold") -> (CombinedNonMaxSuppressionOutputs nmsed_boxes: one, nmsed_scores: one, nmsed_classes: one, valid_detections: one) {
        /// Sets `pad_per_class: bool = false`.
        pad_per_class: bool "pad_per_class";
        /// Sets `clip_boxes: bool = true`.
        clip_boxes: bool "clip_boxes";
    }

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

    /// Begins a node of `DecodeAndCropJpeg`.
    ///
    /// ```text
    /// DecodeAndCropJpeg(contents: string, crop_window: int32) -> (image: uint8)
    ///   channels: int = 0
    ///   ratio: int = 1
    ///   fancy_upscaling: bool = true
    ///   try_recover_truncated: bool = false
    ///   acceptable_fraction: float = 1
    ///   dct_method: string = ''
    /// ```
    decode_and_crop_jpeg DecodeAndCropJpeg contents (contents: one "contents", crop_window: one "crop_window") -> one {
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

    /// Begins a node of `DecodeGif`.
    ///
    /// ```text
    /// DecodeGif(contents: string) -> (image: uint8)
    /// ```
    decode_gif DecodeGif contents (contents: one "contents") -> one {}

    /// Begins a node of `DecodeImage`.
    ///
    /// ```text
    /// DecodeImage(contents: string) -> (image: dtype)
    ///   channels: int = 0
    ///   dtype: type in {uint8, uint16, float} = uint8
    ///   expand_animations: bool = true
    /// ```
    decode_image DecodeImage contents (contents: one "contents") -> one {
        /// Sets `channels: int = 0`.
        channels: int "channels";
        /// Sets `dtype: type in {uint8, uint16, float} = uint8`.
        dtype: dtype "dtype";
        /// Sets `expand_animations: bool = true`.
        expand_animations: bool "expand_animations";
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

    /// Begins a node of `Dilation2D`.
    ///
    /// ```text
    /// Dilation2D(input: T, filter: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   strides: list(int) >= 4
    ///   rates: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    dilation2d Dilation2D input (input: one "input", filter: one "filter", strides: ints "strides", rates: ints "rates", padding: string "padding") -> one {}

    /// Begins a node of `Dilation2DBackpropFilter`.
    ///
    /// ```text
    /// Dilation2DBackpropFilter(input: T, filter: T, out_backprop: T) -> (filter_backprop: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   strides: list(int) >= 4
    ///   rates: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    dilation2d_backprop_filter Dilation2DBackpropFilter input (input: one "input", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", rates: ints "rates", padding: string "padding") -> one {}

    /// Begins a node of `Dilation2DBackpropInput`.
    ///
    /// ```text
    /// Dilation2DBackpropInput(input: T, filter: T, out_backprop: T) -> (in_backprop: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   strides: list(int) >= 4
    ///   rates: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    dilation2d_backprop_input Dilation2DBackpropInput input (input: one "input", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", rates: ints "rates", padding: string "padding") -> one {}

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

    /// Begins a node of `EncodeJpeg`.
    ///
    /// ```text
    /// EncodeJpeg(image: uint8) -> (contents: string)
    ///   format: string in ["", "grayscale", "rgb"] = ''
    ///   quality: int = 95
    ///   progressive: bool = false
    ///   optimize_size: bool = false
    ///   chroma_downsampling: bool = true
    ///   density_unit: string in ["in", "cm"] = 'in'
    ///   x_density: int = 300
    ///   y_density: int = 300
    ///   xmp_metadata: string = ''
    /// ```
    encode_jpeg EncodeJpeg image (image: one "image") -> one {
        /// Sets `format: string in ["", "grayscale", "rgb"] = ''`.
        format: string "format";
        /// Sets `quality: int = 95`.
        quality: int "quality";
        /// Sets `progressive: bool = false`.
        progressive: bool "progressive";
        /// Sets `optimize_size: bool = false`.
        optimize_size: bool "optimize_size";
        /// Sets `chroma_downsampling: bool = true`.
        chroma_downsampling: bool "chroma_downsampling";
        /// Sets `density_unit: string in ["in", "cm"] = 'in'`.
        density_unit: string "density_unit";
        /// Sets `x_density: int = 300`.
        x_density: int "x_density";
        /// Sets `y_density: int = 300`.
        y_density: int "y_density";
        /// Sets `xmp_metadata: string = ''`.
        xmp_metadata: string "xmp_metadata";
    }

    /// Begins a node of `EncodeJpegVariableQuality`.
    ///
    /// ```text
    /// EncodeJpegVariableQuality(images: uint8, quality: int32) -> (contents: string)
    /// ```
    encode_jpeg_variable_quality EncodeJpegVariableQuality images (images: one "images", quality: one "quality") -> one {}

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

    /// Begins a node of `ExtractGlimpse`.
    ///
    /// ```text
    /// ExtractGlimpse(input: float, size: int32, offsets: float) -> (glimpse: float)
    ///   centered: bool = true
    ///   normalized: bool = true
    ///   uniform_noise: bool = true
    ///   noise: string = 'uniform'
    /// ```
    extract_glimpse ExtractGlimpse input (input: one "input", size: one "size", offsets: one "offsets") -> one {
        /// Sets `centered: bool = true`.
        centered: bool "centered";
        /// Sets `normalized: bool = true`.
        normalized: bool "normalized";
        /// Sets `uniform_noise: bool = true`.
        uniform_noise: bool "uniform_noise";
        /// Sets `noise: string = 'uniform'`.
        noise: string "noise";
    }

    /// Begins a node of `ExtractGlimpseV2`.
    ///
    /// ```text
    /// ExtractGlimpseV2(input: float, size: int32, offsets: float) -> (glimpse: float)
    ///   centered: bool = true
    ///   normalized: bool = true
    ///   uniform_noise: bool = true
    ///   noise: string = 'uniform'
    /// ```
    extract_glimpse_v2 ExtractGlimpseV2 input (input: one "input", size: one "size", offsets: one "offsets") -> one {
        /// Sets `centered: bool = true`.
        centered: bool "centered";
        /// Sets `normalized: bool = true`.
        normalized: bool "normalized";
        /// Sets `uniform_noise: bool = true`.
        uniform_noise: bool "uniform_noise";
        /// Sets `noise: string = 'uniform'`.
        noise: string "noise";
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

    /// Begins a node of `ExtractJpegShape`.
    ///
    /// ```text
    /// ExtractJpegShape(contents: string) -> (image_shape: output_type)
    ///   output_type: type in {int32, int64} = int32
    /// ```
    extract_jpeg_shape ExtractJpegShape contents (contents: one "contents") -> one {
        /// Sets `output_type: type in {int32, int64} = int32`.
        output_type: dtype "output_type";
    }

    /// Begins a node of `ExtractVolumePatches`.
    ///
    /// ```text
    /// ExtractVolumePatches(input: T) -> (patches: T)
    ///   ksizes: list(int) >= 5
    ///   strides: list(int) >= 5
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    extract_volume_patches ExtractVolumePatches input (input: one "input", ksizes: ints "ksizes", strides: ints "strides", padding: string "padding") -> one {}

    /// Begins a node of `HSVToRGB`.
    ///
    /// ```text
    /// HSVToRGB(images: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double} = float
    /// ```
    hsv_to_rgb HSVToRGB images (images: one "images") -> one {}

    /// Begins a node of `ImageProjectiveTransformV2`.
    ///
    /// ```text
    /// ImageProjectiveTransformV2(images: dtype, transforms: float, output_shape: int32) -> (transformed_images:
    ///     dtype)
    ///   dtype: type in {uint8, int32, int64, half, bfloat16, float, double}
    ///   interpolation: string
    ///   fill_mode: string = 'CONSTANT'
    /// ```
    image_projective_transform_v2 ImageProjectiveTransformV2 images (images: one "images", transforms: one "transforms", output_shape: one "output_shape", interpolation: string "interpolation") -> one {
        /// Sets `fill_mode: string = 'CONSTANT'`.
        fill_mode: string "fill_mode";
    }

    /// Begins a node of `ImageProjectiveTransformV3`.
    ///
    /// ```text
    /// ImageProjectiveTransformV3(images: dtype, transforms: float, output_shape: int32, fill_value: float) ->
    ///     (transformed_images: dtype)
    ///   dtype: type in {uint8, int32, int64, half, bfloat16, float, double}
    ///   interpolation: string
    ///   fill_mode: string = 'CONSTANT'
    /// ```
    image_projective_transform_v3 ImageProjectiveTransformV3 images (images: one "images", transforms: one "transforms", output_shape: one "output_shape", fill_value: one "fill_value", interpolation: string "interpolation") -> one {
        /// Sets `fill_mode: string = 'CONSTANT'`.
        fill_mode: string "fill_mode";
    }

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

    /// Begins a node of `NonMaxSuppressionV4`.
    ///
    /// ```text
    /// NonMaxSuppressionV4(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold:
    ///     T_threshold) -> (selected_indices: int32, valid_outputs: int32)
    ///   T: type in {half, float} = float
    ///   T_threshold: type in {half, float} = float
    ///   pad_to_max_output_size: bool = false
    /// ```
    non_max_suppression_v4 NonMaxSuppressionV4 boxes (boxes: one "boxes", scores: one "scores", max_output_size: one "max_output_size", iou_threshold: one "iou_threshold", score_threshold: one "score_threshold") -> (NonMaxSuppressionV4Outputs selected_indices: one, valid_outputs: one) {
        /// Sets `pad_to_max_output_size: bool = false`.
        pad_to_max_output_size: bool "pad_to_max_output_size";
    }

    /// Begins a node of `NonMaxSuppressionV5`.
    ///
    /// ```text
    /// NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T,
    ///     soft_nms_sigma: T) -> (selected_indices: int32, selected_scores: T, valid_outputs: int32)
    ///   T: type in {half, float} = float
    ///   pad_to_max_output_size: bool = false
    /// ```
    non_max_suppression_v5 NonMaxSuppressionV5 boxes (boxes: one "boxes", scores: one "scores", max_output_size: one "max_output_size", iou_threshold: one "iou_threshold", score_threshold: one "score_threshold", soft_nms_sigma: one "soft_nms_sigma") -> (NonMaxSuppressionV5Outputs selected_indices: one, selected_scores: one, valid_outputs: one) {
        /// Sets `pad_to_max_output_size: bool = false`.
        pad_to_max_output_size: bool "pad_to_max_output_size";
    }

    /// Begins a node of `NonMaxSuppressionWithOverlaps`.
    ///
    /// ```text
    /// NonMaxSuppressionWithOverlaps(overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float,
    ///     score_threshold: float) -> (selected_indices: int32)
    /// ```
    non_max_suppression_with_overlaps NonMaxSuppressionWithOverlaps overlaps (overlaps: one "overlaps", scores: one "scores", max_output_size: one "max_output_size", overlap_threshold: one "overlap_threshold", score_threshold: one "score_threshold") -> one {}

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

    /// Begins a node of `SampleDistortedBoundingBox`, which has state.
    ///
    /// ```text
    /// SampleDistortedBoundingBox(image_size: T, bounding_boxes: float) -> (begin: T, size: T, bboxes: float)
    ///   T: type in {uint8, int8, int16, int32, int64}
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   min_object_covered: float = 0.1
    ///   aspect_ratio_range: list(float) = [0.75, 1.33]
    ///   area_range: list(float) = [0.05, 1]
    ///   max_attempts: int = 100
    ///   use_image_if_no_bounding_boxes: bool = false
    /// ```
    sample_distorted_bounding_box SampleDistortedBoundingBox image_size (image_size: one "image_size", bounding_boxes: one "bounding_boxes") -> (SampleDistortedBoundingBoxOutputs begin: one, size: one, bboxes: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
        /// Sets `min_object_covered: float = 0.1`.
        min_object_covered: float "min_object_covered";
        /// Sets `aspect_ratio_range: list(float) = [0.75, 1.33]`.
        aspect_ratio_range: floats "aspect_ratio_range";
        /// Sets `area_range: list(float) = [0.05, 1]`.
        area_range: floats "area_range";
        /// Sets `max_attempts: int = 100`.
        max_attempts: int "max_attempts";
        /// Sets `use_image_if_no_bounding_boxes: bool = false`.
        use_image_if_no_bounding_boxes: bool "use_image_if_no_bounding_boxes";
    }

    /// Begins a node of `SampleDistortedBoundingBoxV2`, which has state.
    ///
    /// ```text
    /// SampleDistortedBoundingBoxV2(image_size: T, bounding_boxes: float, min_object_covered: float) -> (begin: T,
    ///     size: T, bboxes: float)
    ///   T: type in {uint8, int8, int16, int32, int64}
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   aspect_ratio_range: list(float) = [0.75, 1.33]
    ///   area_range: list(float) = [0.05, 1]
    ///   max_attempts: int = 100
    ///   use_image_if_no_bounding_boxes: bool = false
    /// ```
    sample_distorted_bounding_box_v2 SampleDistortedBoundingBoxV2 image_size (image_size: one "image_size", bounding_boxes: one "bounding_boxes", min_object_covered: one "min_object_covered") -> (SampleDistortedBoundingBoxV2Outputs begin: one, size: one, bboxes: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
        /// Sets `aspect_ratio_range: list(float) = [0.75, 1.33]`.
        aspect_ratio_range: floats "aspect_ratio_range";
        /// Sets `area_range: list(float) = [0.05, 1]`.
        area_range: floats "area_range";
        /// Sets `max_attempts: int = 100`.
        max_attempts: int "max_attempts";
        /// Sets `use_image_if_no_bounding_boxes: bool = false`.
        use_image_if_no_bounding_boxes: bool "use_image_if_no_bounding_boxes";
    }

    /// Begins a node of `ScaleAndTranslate`.
    ///
    /// ```text
    /// ScaleAndTranslate(images: T, size: int32, scale: float, translation: float) -> (resized_images: float)
    ///   T: type in {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}
    ///   kernel_type: string = 'lanczos3'
    ///   antialias: bool = true
    /// ```
    scale_and_translate ScaleAndTranslate images (images: one "images", size: one "size", scale: one "scale", translation: one "translation") -> one {
        /// Sets `kernel_type: string = 'lanczos3'`.
        kernel_type: string "kernel_type";
        /// Sets `antialias: bool = true`.
        antialias: bool "antialias";
    }

    /// Begins a node of `ScaleAndTranslateGrad`.
    ///
    /// ```text
    /// ScaleAndTranslateGrad(grads: T, original_image: T, scale: float, translation: float) -> (output: T)
    ///   T: type in {float}
    ///   kernel_type: string = 'lanczos3'
    ///   antialias: bool = true
    /// ```
    scale_and_translate_grad ScaleAndTranslateGrad grads (grads: one "grads", original_image: one "original_image", scale: one "scale", translation: one "translation") -> one {
        /// Sets `kernel_type: string = 'lanczos3'`.
        kernel_type: string "kernel_type";
        /// Sets `antialias: bool = true`.
        antialias: bool "antialias";
    }

    /// Begins a node of `StatelessSampleDistortedBoundingBox`.
    ///
    /// ```text
    /// StatelessSampleDistortedBoundingBox(image_size: T, bounding_boxes: float, min_object_covered: float, seed:
    ///     Tseed) -> (begin: T, size: T, bboxes: float)
    ///   T: type in {uint8, int8, int16, int32, int64}
    ///   Tseed: type in {int32, int64}
    ///   aspect_ratio_range: list(float) = [0.75, 1.33]
    ///   area_range: list(float) = [0.05, 1]
    ///   max_attempts: int = 100
    ///   use_image_if_no_bounding_boxes: bool = false
    /// ```
    stateless_sample_distorted_bounding_box StatelessSampleDistortedBoundingBox image_size (image_size: one "image_size", bounding_boxes: one "bounding_boxes", min_object_covered: one "min_object_covered", seed: one "seed") -> (StatelessSampleDistortedBoundingBoxOutputs begin: one, size: one, bboxes: one) {
        /// Sets `aspect_ratio_range: list(float) = [0.75, 1.33]`.
        aspect_ratio_range: floats "aspect_ratio_range";
        /// Sets `area_range: list(float) = [0.05, 1]`.
        area_range: floats "area_range";
        /// Sets `max_attempts: int = 100`.
        max_attempts: int "max_attempts";
        /// Sets `use_image_if_no_bounding_boxes: bool = false`.
        use_image_if_no_bounding_boxes: bool "use_image_if_no_bounding_boxes";
    }
}
