//! Sound: WAV files, spectrograms, and the coefficients that speech is recognised by.

op_list! { audio_spectrogram, mfcc, wav }
