"""Images: turned, cut, resized, and their colours."""


def build(tf):
    image = tf.image
    x = tf.reshape(tf.range(96.0), [4, 8, 3], name="x") / 96.0
    pair = tf.stack([x, 1.0 - x], name="pair")
    whole = tf.cast(x * 255.0, tf.uint8, name="whole")
    found = [
        image.flip_left_right(x), image.flip_up_down(x), image.flip_left_right(pair), image.transpose_image(x),
        image.adjust_brightness(x, 0.1), image.adjust_brightness(whole, 0.1), image.adjust_contrast(x, 0.5),
        image.adjust_contrast(whole, 0.5), image.adjust_hue(x, 0.1), image.adjust_saturation(x, 2.0), image.adjust_gamma(x, 2.0),
        image.per_image_standardization(x), image.per_image_standardization(whole), image.per_image_standardization(pair),
        image.resize_image_with_crop_or_pad(x, 6, 5), image.resize_image_with_crop_or_pad(pair, 3, 10),
        image.central_crop(x, 0.5), image.crop_to_bounding_box(x, 1, 2, 3, 4), image.pad_to_bounding_box(x, 1, 2, 12, 14),
        image.resize_images(x, [2, 3]), image.resize_images(pair, [2, 3], method=image.ResizeMethod.NEAREST_NEIGHBOR),
        image.resize_images(x, [8, 16], align_corners=True), image.resize_images(x, [4, 8]),
        image.resize_bilinear(pair, [3, 3], align_corners=True), image.resize_nearest_neighbor(pair, [3, 3]),
        image.resize_area(pair, [2, 2]), image.resize_bicubic(pair, [3, 5]),
        image.rgb_to_grayscale(x), image.rgb_to_grayscale(whole), image.grayscale_to_rgb(x[:, :, :1]), image.rgb_to_hsv(x),
        image.hsv_to_rgb(x), image.rgb_to_yiq(x), image.yiq_to_rgb(x), image.rgb_to_yuv(x), image.yuv_to_rgb(x),
        image.convert_image_dtype(whole, tf.float32), image.convert_image_dtype(x, tf.uint8),
        image.convert_image_dtype(x, tf.uint8, saturate=True), image.convert_image_dtype(whole, tf.int32),
        image.total_variation(pair), image.total_variation(x), image.decode_png(image.encode_png(whole)), *image.image_gradients(pair),
        image.sobel_edges(pair), image.crop_and_resize(pair, [[0.0, 0.0, 0.5, 0.5]], [1], [2, 2]),
        image.draw_bounding_boxes(pair, tf.ones([2, 1, 4]) * 0.5),
        image.extract_image_patches(pair, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
        image.non_max_suppression([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]], [0.5, 0.6], 2),
        image.random_flip_left_right(x, seed=1), image.random_flip_up_down(pair, seed=2), image.random_brightness(x, 0.3, seed=3),
        image.random_contrast(x, 0.2, 1.8, seed=4), image.random_hue(x, 0.1, seed=5), image.random_saturation(x, 0.5, 1.5, seed=6),
        tf.random_crop(x, [2, 2, 3], seed=7),
    ]
    return found
