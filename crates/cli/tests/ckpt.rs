//! `tensorfleet ckpt` as a user meets it: good checkpoints, damaged ones, and none.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use files::checkpoint_state::{CheckpointState, FILE_NAME};
use files::{BundleReader, BundleWriter, SlicesReader, TensorSlice};
use tensor::{Shape, Tensor};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-ckpt-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs the command in this folder: exit code, output and errors.
    fn ckpt(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
        let output = command.arg("ckpt").args(arguments).current_dir(&self.0).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let (_, output, errors) = self.ckpt(arguments);
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}{errors}"))
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn write(prefix: &Path, tensors: &[(&str, Tensor)]) {
    let mut writer = BundleWriter::new(prefix).unwrap();
    for (name, tensor) in tensors {
        writer.add(name, tensor).unwrap();
    }
    writer.finish().unwrap();
}

fn model() -> Vec<(&'static str, Tensor)> {
    let weights = Tensor::new([3, 2], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.5]).unwrap();
    vec![("hid/w", weights), ("hid/b", Tensor::from([0.5f32])), ("names", Tensor::string_vector(["a", "b"]))]
}

#[test]
fn what_is_there_is_listed_and_shown() {
    let folder = Folder::new("listed");
    write(&folder.path("model.ckpt-7"), &model());
    write(&folder.path("model.ckpt-9"), &model());
    write(&folder.path("stray"), &model());
    std::fs::write(folder.path("broken.index"), "no table").unwrap();
    let state = CheckpointState {
        model_checkpoint_path: "model.ckpt-9".to_owned(),
        all_model_checkpoint_paths: vec!["model.ckpt-7".to_owned(), "model.ckpt-9".to_owned()],
        ..Default::default()
    };
    files::checkpoint_state::write(&folder.0, FILE_NAME, &state, true).unwrap();
    let (code, listed, _) = folder.ckpt(&["ls"]);
    let line = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert_eq!(code, 0);
    assert!(line("model.ckpt-9").ends_with("newest"), "{listed}");
    assert!(line("model.ckpt-7").contains("  7     V2      3  "), "{listed}");
    assert!(line("stray").contains("not named"), "{listed}");
    assert!(line("broken").contains("damaged: "), "{listed}");
    let all = folder.json(&["ls", "--json"]);
    assert_eq!(all.as_array().unwrap().len(), 4);

    // The folder stands for its newest checkpoint.
    let (code, shown, _) = folder.ckpt(&["show", "."]);
    assert!(code == 0 && shown.contains("hid/w   float   [3,2]  24 B\n"), "{shown}");
    assert!(shown.ends_with("3 tensors, 9 elements, 28 B\n"), "{shown}");
    assert_eq!(folder.json(&["show", "model.ckpt-9.index", "--json", "--filter", "hid/w"])[0]["shape"][0], 3);

    let (code, values, _) = folder.ckpt(&["cat", "model.ckpt-9", "hid/w"]);
    assert_eq!(
        (code, values.as_str()),
        (0, "hid/w float [3,2]\n[[1 2]\n [3 4]\n [5 6.5]]\nmin 1  max 6.5  mean 3.5833333333333335\n")
    );
    let (_, values, _) = folder.ckpt(&["cat", "model.ckpt-9", "hid/w", "--slice", "1,2:0,1"]);
    assert!(values.contains("[[3]\n [5]]"), "{values}");
    assert!(folder.ckpt(&["cat", "model.ckpt-9", "names"]).1.contains(r#"["a" "b"]"#));
}

#[test]
fn bad_requests_are_refused_in_a_sentence() {
    let folder = Folder::new("refused");
    write(&folder.path("model"), &model());
    for (arguments, phrase) in [
        (&["show", "nothing"][..], "there is no checkpoint nothing"),
        (&["show", "."], ". has no checkpoint"),
        (&["ls", "nowhere"], "there is no folder nowhere"),
        (&["cat", "model", "v"], "Key v not found"),
        (&["cat", "model", "hid/w", "--slice", "0,2"], "--slice 0,2 has 1 dimensions where hid/w of shape [3,2] has 2"),
        (&["cat", "model", "hid/w", "--slice", "2,2:-"], "out of bounds"),
        (&["rename", "model", "--out", "n"], "nothing to rename"),
        (&["rename", "model", "--out", "n", "--name", "x=y"], "model has no tensor x"),
        (&["rename", "model", "--out", "n", "--name", "hid/w=names"], "two tensors would be named names"),
        (&["merge", "model", "model", "--out", "n"], "hid/b is in both model and model"),
        (&["convert", "model", "--to", "v1", "--out", "model"], "model exists; --force replaces it"),
        (&["from-npz", "model.index", "n"], "model.index: "),
    ] {
        let (code, output, errors) = folder.ckpt(arguments);
        assert!(code == 1 && errors.contains(phrase), "{arguments:?} gave {code}: {output}{errors}");
    }
    assert_eq!(folder.ckpt(&["diff", "model", "nothing"]).0, 2);
    assert_eq!(folder.ckpt(&["reshard", "model", "--shards", "0", "--out", "n"]).0, 2);
    assert_eq!(folder.names(), ["model.data-00000-of-00001", "model.index"]);
}

#[test]
fn differences_and_damage_have_an_exit_code() {
    let folder = Folder::new("different");
    write(&folder.path("a"), &model());
    let mut other = model();
    other[0].1 = Tensor::new([3, 2], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.25]).unwrap();
    other[1].1 = Tensor::from([0.5f64]);
    other[2].0 = "words";
    write(&folder.path("b"), &other);
    assert_eq!(folder.ckpt(&["diff", "a", "a"]), (0, String::new(), String::new()));
    let (code, differences, _) = folder.ckpt(&["diff", "a", "b"]);
    let wanted = "! hid/b  float [1] | double [1]\n~ hid/w  1 differ, by at most 0.25\n- names\n+ words\n";
    assert_eq!((code, differences.as_str()), (1, wanted));
    assert!(!folder.ckpt(&["diff", "a", "b", "--tolerance", "0.3"]).1.contains("hid/w"));
    assert_eq!(folder.json(&["diff", "a", "b", "--json"])[1]["differ"], 1);

    let (code, verdict, _) = folder.ckpt(&["verify", "a"]);
    assert_eq!((code, verdict.as_str()), (0, "3 tensors, 28 B: all checksums match\n"));
    let data = folder.path("a.data-00000-of-00001");
    let mut bytes = std::fs::read(&data).unwrap();
    bytes[1] ^= 1;
    std::fs::write(&data, &bytes).unwrap();
    let (code, verdict, _) = folder.ckpt(&["verify", "a"]);
    assert!(code == 1 && verdict.contains("damaged: hid/w: ") && verdict.ends_with("1 damaged\n"), "{verdict}");
    std::fs::remove_file(&data).unwrap();
    assert_eq!(folder.json(&["verify", "a", "--json"])["damaged"].as_array().unwrap().len(), 3);
    // Nothing is made of what is damaged.
    let before = folder.names();
    assert_eq!(folder.ckpt(&["reshard", "a", "--shards", "2", "--out", "n"]).0, 1);
    assert_eq!(folder.ckpt(&["to-npz", "a", "n.npz"]).0, 1);
    assert_eq!(folder.names(), before);
}

#[test]
fn checkpoints_are_rewritten() {
    let folder = Folder::new("rewritten");
    write(&folder.path("a"), &model());
    let mut sliced = BundleWriter::new(folder.path("b")).unwrap();
    let whole = Shape::new(&[4]).unwrap();
    for (slice, values) in [("0,1", vec![1f32]), ("1,3", vec![2.0, 3.0, 4.0])] {
        sliced.add_slice("part", &whole, &TensorSlice::parse(slice).unwrap(), &Tensor::from(values)).unwrap();
    }
    sliced.finish().unwrap();
    let done = |arguments: &[&str]| {
        let (code, output, errors) = folder.ckpt(arguments);
        assert_eq!(code, 0, "{arguments:?}: {output}{errors}");
    };
    done(&["merge", "a", "b", "--out", "sub/all"]);
    let all = BundleReader::open(folder.path("sub/all")).unwrap();
    assert_eq!((all.entries().unwrap().len(), all.lookup("part").unwrap()), (4, Tensor::from([1f32, 2.0, 3.0, 4.0])));
    done(&["reshard", "sub/all", "--shards", "3", "--out", "three"]);
    assert_eq!(BundleReader::open(folder.path("three")).unwrap().num_shards(), 3);
    assert_eq!(folder.ckpt(&["diff", "sub/all", "three"]).0, 0);
    done(&["convert", "three", "--to", "V1", "--out", "old"]);
    assert_eq!(SlicesReader::open(folder.path("old")).unwrap().entries().len(), 4);
    done(&["convert", "old", "--to", "v2", "--out", "new"]);
    assert_eq!(folder.ckpt(&["diff", "sub/all", "new"]).0, 0);
    done(&["rename", "new", "--prefix", "hid/=layer1/", "--name", "part=rest", "--out", "new", "--force"]);
    let names: Vec<String> =
        BundleReader::open(folder.path("new")).unwrap().entries().unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["layer1/b", "layer1/w", "names", "rest"]);
    done(&["to-npz", "sub/all", "all.npz"]);
    done(&["from-npz", "all.npz", "back"]);
    assert_eq!(folder.ckpt(&["diff", "sub/all", "back"]).0, 0);
}
