# Written by stubs.py; do not edit.

from tensorfleet._ops.spectral_ops import fft as fft
from tensorfleet._ops.spectral_ops import fft2d as fft2d
from tensorfleet._ops.spectral_ops import fft3d as fft3d
from tensorfleet._ops.spectral_ops import ifft as ifft
from tensorfleet._ops.spectral_ops import ifft2d as ifft2d
from tensorfleet._ops.spectral_ops import ifft3d as ifft3d
from tensorfleet._ops.spectral_ops import irfft as irfft
from tensorfleet._ops.spectral_ops import irfft2d as irfft2d
from tensorfleet._ops.spectral_ops import irfft3d as irfft3d
from tensorfleet._ops.spectral_ops import rfft as rfft
from tensorfleet._ops.spectral_ops import rfft2d as rfft2d
from tensorfleet._ops.spectral_ops import rfft3d as rfft3d

__all__ = [
    "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d"
]
