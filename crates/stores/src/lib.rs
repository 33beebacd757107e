//! Files in object stores and on web servers, for everything that takes a path.
//!
//! | path | where | what proves who asks |
//! |---|---|---|
//! | `s3://bucket/name` | Amazon S3 and what speaks like it | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`, ... |
//! | `gs://bucket/name` | Google Cloud Storage | `GOOGLE_APPLICATION_CREDENTIALS`, ... |
//! | `az://container/name` | Azure's blobs | `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY`, ... |
//! | `http://host/name`, `https://host/name` | any web server, to read | nothing |
//!
//! [`install`] gives the process these stores; from then on `tensorfleet-files`, and what reads and writes through it, follows
//! such paths. What is asked of a store is tried again when that can help, for two minutes at most; large files travel in parts,
//! several at once. What proves who asks comes from the environment of the process alone and is never part of an error.
//!
//! ```
//! tensorfleet_stores::install();
//! let missing = files::place::read("hdfs://somewhere/else".as_ref()).unwrap_err();
//! assert!(missing.to_string().contains("File system scheme 'hdfs' not implemented"));
//! ```

#![warn(missing_docs)]

mod address;
mod errors;
mod object;
mod progress;
mod transfer;
mod upload;

use std::path::Path as FilePath;
use std::time::SystemTime;

use files::place::{self, Entry, Object, Store, Upload};
use object_store::{ObjectStore, ObjectStoreExt};
use tensor::{Result, ensure};

use address::Address;
use transfer::wait;

/// Gives this process its stores. Doing it twice does no harm; nothing is opened before a path asks for it.
pub fn install() {
    // The one that the cluster's own connections use; somebody may have chosen it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    place::install(Box::new(Stores));
}

struct Stores;

impl Store for Stores {
    fn open(&self, url: &str) -> Result<Box<dyn Object>> {
        object::open(Address::parse(url)?)
    }

    fn create(&self, url: &str) -> Result<Box<dyn Upload>> {
        upload::begin_file(Address::parse(url)?)
    }

    fn list(&self, url: &str) -> Result<Vec<Entry>> {
        let Address { store, path, read_only, .. } = Address::parse(url)?;
        ensure!(!read_only, Unimplemented, "a web server does not list its files");
        let prefix = path.clone();
        let listed = wait(async move { store.list_with_delimiter(Some(&prefix)).await })?;
        let folder = FilePath::new(url);
        let mut entries = Vec::with_capacity(listed.objects.len() + listed.common_prefixes.len());
        for file in listed.objects.iter().filter(|file| file.location != path) {
            let name = file.location.filename().unwrap_or_default();
            entries.push(Entry {
                path: folder.join(name),
                name: name.into(),
                is_folder: false,
                size: file.size,
                modified: Some(SystemTime::from(file.last_modified)),
            });
        }
        for below in &listed.common_prefixes {
            let name = below.filename().unwrap_or_default();
            let path = folder.join(name);
            entries.push(Entry { path, name: name.into(), is_folder: true, size: 0, modified: None });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (Address::parse(from)?.for_writing()?, Address::parse(to)?.for_writing()?);
        ensure!(
            std::sync::Arc::ptr_eq(&from.store, &to.store),
            InvalidArgument,
            "a file cannot be renamed into another bucket"
        );
        wait(async move { from.store.rename(&from.path, &to.path).await })
    }

    fn remove(&self, url: &str) -> Result<()> {
        let Address { store, path, .. } = Address::parse(url)?.for_writing()?;
        wait(async move { store.delete(&path).await })
    }
}
