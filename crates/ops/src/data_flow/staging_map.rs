//! Tuples that are put aside under a key, also piece by piece, and taken up by it: `MapStage`, `MapUnstage`,
//! `MapUnstageNoKey`, `MapPeek`, `MapSize`, `MapIncompleteSize` and `MapClear`; or the smallest key first:
//! `OrderedMapStage`, `OrderedMapUnstage`, `OrderedMapUnstageNoKey`, `OrderedMapPeek`, `OrderedMapSize`,
//! `OrderedMapIncompleteSize` and `OrderedMapClear`.

use std::collections::BTreeMap;

use graph::op::{AsyncContext, Done, Kernel, OpContext, Registry, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use smallvec::SmallVec;
use tensor::{Result, Tensor, bail, ensure};

use super::staging_area::{Area, Place, size_of, tensors, typed};

pub(crate) fn register(r: &mut Registry) {
    for prefix in ["Map", "OrderedMap"] {
        for (name, signature, some, build) in [
            (
                "Stage",
                "key: int64, indices: int32, values: fake_dtypes ->",
                false,
                put_kernel as fn(&Node) -> Result<Kernel>,
            ),
            ("Unstage", "key: int64, indices: int32 -> values: dtypes", true, take_kernel),
            ("Peek", "key: int64, indices: int32 -> values: dtypes", true, take_kernel),
            ("UnstageNoKey", "indices: int32 -> key: int64, values: dtypes", true, first_kernel),
            ("Size", "-> size: int32", false, size_kernel),
            ("IncompleteSize", "-> size: int32", false, size_kernel),
            ("Clear", "->", false, clear_kernel),
        ] {
            let shape = if name.ends_with("Size") { ShapeContext::scalar } else { ShapeContext::unknown };
            let mut entry = r
                .op(&format!("{prefix}{name}"), signature)
                .attr("capacity: int >= 0 = 0")
                .attr("memory_limit: int >= 0 = 0")
                .attr(if some { "dtypes: list(type) >= 1" } else { "dtypes: list(type)" });
            if name == "Stage" {
                entry = entry.attr("fake_dtypes: list(type) >= 1");
            }
            entry
                .attr("container: string = ''")
                .attr("shared_name: string = ''")
                .stateful()
                .shape(shape)
                .any_kernel(build)
                .not_differentiable();
        }
    }
}

/// A tuple whose places are filled or emptied one by one.
type Pieces = Vec<Option<Tensor>>;

#[derive(Default)]
struct Maps {
    complete: BTreeMap<i64, Pieces>,
    incomplete: BTreeMap<i64, Pieces>,
}

fn area() -> Area<Maps> {
    Area::new("StagingMap")
}

fn key_of(key: &Tensor) -> Result<i64> {
    match key.as_slice::<i64>()? {
        [key] => Ok(*key),
        _ => bail!(InvalidArgument, "key must be an int64 scalar, but had shape {}", key.shape()),
    }
}

fn indices_of(indices: &Tensor) -> Result<Vec<i32>> {
    let indices = indices.as_slice::<i32>()?;
    ensure!(indices.windows(2).all(|pair| pair[0] < pair[1]), InvalidArgument, "Indices are not strictly ordered");
    Ok(indices.to_vec())
}

fn place_in(index: i32, key: i64, count: usize) -> Result<usize> {
    match usize::try_from(index) {
        Ok(place) if place < count => Ok(place),
        _ => bail!(InvalidArgument, "Index '{index}' for key '{key}' was out of bounds '{count}'."),
    }
}

fn put_kernel(node: &Node) -> Result<Kernel> {
    let (place, count) = (Place::of(node)?, node.attr_types("dtypes")?.len());
    Ok(Kernel::asynchronous(move |mut cx: AsyncContext, done: Done| {
        let limits = place.limits;
        let prepared = place.find(&cx.step, area).and_then(|area| {
            let (key, indices) = (key_of(cx.input(0)?)?, indices_of(cx.input(1)?)?);
            let values = tensors(&mut cx, 2)?;
            ensure!(
                values.len() <= indices.len(),
                InvalidArgument,
                "{} values for {} indices",
                values.len(),
                indices.len()
            );
            limits.check(size_of(&values))?;
            Ok((area, key, indices, values))
        });
        let (area, key, indices, values) = match prepared {
            Ok(prepared) => prepared,
            Err(status) => return done(Err(status)),
        };
        area.tuples.when_possible(&cx.step.cancellation, done, move |maps| {
            let pieces = maps.complete.values().chain(maps.incomplete.values());
            let held: usize = pieces.flatten().flatten().map(Tensor::byte_size).sum();
            let whole = values.len() == count;
            if !limits.allow(maps.complete.len() + usize::from(whole), held + size_of(&values)) {
                return None;
            }
            Some(put(maps, key, &indices, &values, count).map(|()| SmallVec::new()))
        });
    }))
}

fn put(maps: &mut Maps, key: i64, indices: &[i32], values: &[Tensor], count: usize) -> Result<()> {
    let mut pieces = maps.incomplete.get(&key).cloned().unwrap_or_else(|| vec![None; count]);
    for (index, value) in indices.iter().zip(values) {
        let place = place_in(*index, key, pieces.len())?;
        ensure!(
            pieces[place].is_none(),
            InvalidArgument,
            "The tensor for index '{index}' for key '{key}' was already initialized '{}'.",
            pieces.len()
        );
        pieces[place] = Some(value.clone());
    }
    if pieces.iter().all(Option::is_some) {
        maps.incomplete.remove(&key);
        // What is there under the key already, stays.
        maps.complete.entry(key).or_insert(pieces);
    } else {
        maps.incomplete.insert(key, pieces);
    }
    Ok(())
}

/// The pieces at these places; all or none are removed.
fn pick(
    maps: &mut Maps,
    key: i64,
    indices: &[i32],
    remove: bool,
    types: &[tensor::DType],
) -> Option<Result<graph::op::Outputs>> {
    let pieces = maps.complete.get_mut(&key)?;
    let mut places = Vec::with_capacity(indices.len());
    let mut values = Vec::with_capacity(indices.len());
    for index in indices {
        let place = match place_in(*index, key, pieces.len()) {
            Ok(place) => place,
            Err(status) => return Some(Err(status)),
        };
        match &pieces[place] {
            Some(value) => values.push(value.clone()),
            None => {
                return Some(Err(tensor::err!(
                    InvalidArgument,
                    "Tensor at index '{index}' for key '{key}' has already been removed."
                )));
            }
        }
        places.push(place);
    }
    let outputs = typed(&values, types);
    if remove && outputs.is_ok() {
        places.into_iter().for_each(|place| pieces[place] = None);
        if pieces.iter().all(Option::is_none) {
            maps.complete.remove(&key);
        }
    }
    Some(outputs)
}

fn take_kernel(node: &Node) -> Result<Kernel> {
    let (place, types) = (Place::of(node)?, node.attr_types("dtypes")?.to_vec());
    let remove = !node.op.ends_with("Peek");
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let prepared =
            place.find(&cx.step, area).and_then(|area| Ok((area, key_of(cx.input(0)?)?, indices_of(cx.input(1)?)?)));
        let (area, key, indices) = match prepared {
            Ok(prepared) => prepared,
            Err(status) => return done(Err(status)),
        };
        let types = types.clone();
        let attempt = move |maps: &mut Maps| pick(maps, key, &indices, remove, &types);
        area.tuples.when_possible(&cx.step.cancellation, done, attempt);
    }))
}

fn first_kernel(node: &Node) -> Result<Kernel> {
    let (place, types) = (Place::of(node)?, node.attr_types("dtypes")?.to_vec());
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let prepared = place.find(&cx.step, area).and_then(|area| Ok((area, indices_of(cx.input(0)?)?)));
        let (area, indices) = match prepared {
            Ok(prepared) => prepared,
            Err(status) => return done(Err(status)),
        };
        let types = types.clone();
        area.tuples.when_possible(&cx.step.cancellation, done, move |maps| {
            let key = *maps.complete.first_key_value()?.0;
            let picked = pick(maps, key, &indices, true, &types)?;
            Some(picked.map(|mut outputs| {
                outputs.insert(0, Value::Tensor(Tensor::from(key)));
                outputs
            }))
        });
    }))
}

fn size_kernel(node: &Node) -> Result<Kernel> {
    let (place, incomplete) = (Place::of(node)?, node.op.ends_with("IncompleteSize"));
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let area = place.find(cx.step, area)?;
        let size = area.tuples.now(|maps| if incomplete { maps.incomplete.len() } else { maps.complete.len() });
        cx.set_output(0, i32::try_from(size).unwrap_or(i32::MAX));
        Ok(())
    }))
}

fn clear_kernel(node: &Node) -> Result<Kernel> {
    let place = Place::of(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        place.find(cx.step, area)?.tuples.now(|maps| *maps = Maps::default());
        Ok(())
    }))
}
