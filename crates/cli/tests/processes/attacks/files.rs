//! Files that a client has no business with, and such that have no end.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tensorfleet::prelude::*;

use super::{Siege, after, refused};

/// A folder for the server, and a secret beside it. All is gone in the end.
struct Ground(PathBuf);

impl Ground {
    fn new(name: &str) -> Ground {
        let folder = std::env::temp_dir().join(format!("tensorfleet-attack-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("root/data")).expect("a folder");
        fs::write(folder.join("secret"), "the secret").expect("a file");
        fs::write(folder.join("root/data/line"), "a line\n").expect("a file");
        Ground(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a name in UTF-8").to_owned()
    }

    fn siege(&self) -> Siege {
        Siege::begin(&["--file_root", &self.path("root")])
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(siege: &Siege, path: &str) -> Result<Tensor> {
    let g = Graph::new();
    let contents = g.op("ReadFile").input(g.constant(path)).output();
    siege.run(&g, &contents)
}

fn write(siege: &Siege, path: &str) -> Result<Tensor> {
    let g = Graph::new();
    let written = g.op("WriteFile").input(g.constant(path)).input(g.constant("x")).build();
    siege.run(&g, &after(&g, written))
}

#[test]
fn reading_and_writing_outside_of_the_root() {
    let ground = Ground::new("outside");
    let siege = ground.siege();
    symlink(ground.path("secret"), ground.path("root/link")).expect("a link");
    symlink(ground.path("new"), ground.path("root/dangling")).expect("a link");
    assert_eq!(read(&siege, &ground.path("root/data/line")).expect("a file of its own"), Tensor::from("a line\n"));
    write(&siege, &ground.path("root/new/file")).expect("a file of its own");
    let told = [&*format!("outside of the folders that this task may use: {}", ground.path("root"))];
    for path in ["secret", "root/../secret", "root/data/../../secret", "root/link"] {
        refused(read(&siege, &ground.path(path)), Code::PermissionDenied, &told);
        refused(write(&siege, &ground.path(path)), Code::PermissionDenied, &told);
    }
    for path in ["root/dangling", "root/nothing/../../new"] {
        refused(write(&siege, &ground.path(path)), Code::PermissionDenied, &["it cannot be said where"]);
    }
    refused(write(&siege, "file:///etc/tensorfleet"), Code::PermissionDenied, &told);
    assert_eq!(fs::read_to_string(ground.path("secret")).expect("the secret"), "the secret");
    assert!(!Path::new(&ground.path("new")).exists());
    siege.survived();
}

/// Every other op that knows of files.
#[test]
fn all_other_ways_to_files_outside_of_the_root() {
    let ground = Ground::new("ways");
    let siege = ground.siege();
    let secret = ground.path("secret");
    let outside = ["outside of the folders"];
    let attempt = |build: &dyn Fn(&Graph) -> Output| {
        let g = Graph::new();
        let last = build(&g);
        refused(siege.run(&g, &last), Code::PermissionDenied, &outside);
    };
    let names = |g: &Graph| g.constant(Tensor::string_vector(["v"]));
    let whole = |g: &Graph| g.constant(Tensor::string_vector([""]));
    attempt(&|g| g.op("MatchingFiles").input(g.constant(ground.path("s*").as_str())).output());
    attempt(&|g| {
        let save = g.op("SaveV2").input(g.constant(ground.path("model").as_str())).input(names(g)).input(whole(g));
        after(g, save.input_list(&[g.constant(1f32)]).build())
    });
    attempt(&|g| {
        let restore = g.op("RestoreV2").input(g.constant(ground.path("model").as_str()));
        restore.input(names(g)).input(whole(g)).attr("dtypes", vec![DType::Float]).output()
    });
    for (from, to) in [("model", "root/model"), ("root/model", "model")] {
        attempt(&|g| {
            let parts = g.constant(Tensor::string_vector([ground.path(from)]));
            let entry = g.op("MergeV2Checkpoints").attr("allow_missing_files", true);
            after(g, entry.input(&parts).input(g.constant(ground.path(to).as_str())).build())
        });
    }
    for op in ["TextLineDataset", "TFRecordDataset"] {
        attempt(&|g| {
            let dataset = g.op(op).input(g.constant(secret.as_str())).input(g.constant("")).input(g.constant(0i64));
            let dataset = dataset.output();
            let kind = |entry: graph::OpBuilder| {
                entry.attr("output_types", vec![DType::String]).attr("output_shapes", vec![PartialShape::scalar()])
            };
            let iterator = kind(g.op("IteratorV2").attr("shared_name", "").attr("container", "")).output();
            let begun = g.op("MakeIterator").input(&dataset).input(&iterator).build();
            g.with_control_dependencies(&[begun], |g| kind(g.op("IteratorGetNext").input(&iterator)).output())
        });
    }
    for op in ["TextLineReaderV2", "TFRecordReaderV2", "WholeFileReaderV2"] {
        attempt(&|g| {
            let queue =
                g.op("FIFOQueueV2").attr("component_types", vec![DType::String]).attr("capacity", 3i64).output();
            let put = g.op("QueueEnqueueV2").input(&queue).input_list(&[g.constant(secret.as_str())]).build();
            let reader = g.op(op).output();
            g.with_control_dependencies(&[put], |g| g.op("ReaderReadV2").input(&reader).input(&queue).build().output(1))
        });
    }
    attempt(&|g| g.op("RecordInput").attr("file_pattern", secret.clone()).output());
    attempt(&|g| {
        let stream = format!("file://{}", ground.path("printed"));
        after(g, g.op("PrintV2").input(g.constant("x")).attr("output_stream", stream).build())
    });
    attempt(&|g| {
        let table = g.op("HashTableV2").attr("key_dtype", DType::String).attr("value_dtype", DType::Int64).output();
        let entry = g.op("InitializeTableFromTextFileV2").input(&table).input(g.constant(secret.as_str()));
        after(g, entry.attr("key_index", -2i64).attr("value_index", -1i64).build())
    });
    attempt(&|g| {
        let entry = g.op("FixedUnigramCandidateSampler").input(g.constant([[0i64]])).attr("num_true", 1i64);
        let entry = entry.attr("num_sampled", 1i64).attr("unique", false).attr("range_max", 1i64);
        entry.attr("vocab_file", secret.clone()).build().output(0)
    });
    let left: Vec<_> = fs::read_dir(&ground.0).expect("the folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    siege.survived();
}

/// A checkpoint whose files lead elsewhere.
#[test]
fn a_checkpoint_with_links_out_of_the_root() {
    let ground = Ground::new("checkpoint");
    let siege = ground.siege();
    symlink(ground.path("secret"), ground.path("root/model.index")).expect("a link");
    let g = Graph::new();
    let (names, whole) = (g.constant(Tensor::string_vector(["v"])), g.constant(Tensor::string_vector([""])));
    let restore = g.op("RestoreV2").input(g.constant(ground.path("root/model").as_str()));
    let restored = restore.input(&names).input(&whole).attr("dtypes", vec![DType::Float]).output();
    refused(siege.run(&g, &restored), Code::PermissionDenied, &["model.index' is outside of the folders"]);
    siege.survived();
}

/// Without a root, any file may be read that the server's user may read, but nothing without an end.
#[test]
fn devices_pipes_and_the_system_itself() {
    let ground = Ground::new("devices");
    let siege = Siege::begin(&[]);
    assert_eq!(read(&siege, &ground.path("secret")).expect("no root, no bounds"), Tensor::from("the secret"));
    assert!(Command::new("mkfifo").arg(ground.path("pipe")).status().expect("mkfifo runs").success());
    symlink("/dev/zero", ground.path("zeros")).expect("a link");
    for path in ["/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/kmsg", "/sys/kernel/notes"] {
        refused(read(&siege, path), Code::PermissionDenied, &[path, "files and folders only"]);
    }
    for path in ["pipe", "zeros"] {
        let path = ground.path(path);
        refused(read(&siege, &path), Code::PermissionDenied, &["files and folders only"]);
        refused(write(&siege, &path), Code::PermissionDenied, &["files and folders only"]);
    }
    siege.survived();
}

/// A file that takes no room on the disk and would take all of the memory: as a whole, and as one line.
#[test]
fn a_sparse_file_of_a_terabyte() {
    let ground = Ground::new("sparse");
    let siege = Siege::begin(&[]);
    let path = ground.path("sparse");
    let file = fs::File::create(&path).expect("a file");
    if file.set_len(1 << 40).is_err() {
        return siege.survived(); // not on this file system
    }
    refused(read(&siege, &path), Code::ResourceExhausted, &["sparse' takes 1099511627776 bytes"]);
    siege.survived();
}
