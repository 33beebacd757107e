//! The files of the page, which are part of this program.

/// Address, kind and text of each file.
pub const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("page/index.html")),
    ("/base.css", CSS, include_str!("page/base.css")),
    ("/views.css", CSS, include_str!("page/views.css")),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/app.js", JS, include_str!("page/app.js")),
    ("/dom.js", JS, include_str!("page/dom.js")),
    ("/words.js", JS, include_str!("page/words.js")),
    ("/net.js", JS, include_str!("page/net.js")),
    ("/chart.js", JS, include_str!("page/chart.js")),
    ("/graph_layout.js", JS, include_str!("page/graph_layout.js")),
    ("/zoom.js", JS, include_str!("page/zoom.js")),
    ("/cluster_picture.js", JS, include_str!("page/cluster_picture.js")),
    ("/cluster.js", JS, include_str!("page/cluster.js")),
    ("/task_panel.js", JS, include_str!("page/task_panel.js")),
    ("/scalars.js", JS, include_str!("page/scalars.js")),
    ("/histograms.js", JS, include_str!("page/histograms.js")),
    ("/graph.js", JS, include_str!("page/graph.js")),
    ("/gradients.js", JS, include_str!("page/gradients.js")),
    ("/waits.js", JS, include_str!("page/waits.js")),
    ("/checkpoints.js", JS, include_str!("page/checkpoints.js")),
    ("/timeline.js", JS, include_str!("page/timeline.js")),
];

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_no_file_from_elsewhere_and_all_that_it_names() {
        for (address, kind, text) in FILES {
            // Names of namespaces are no addresses.
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{address} names another site");
            assert!(!text.contains("innerHTML") && !text.contains("eval("), "{address} makes code of text");
            if *kind == JS {
                for line in text.lines().filter(|line| line.starts_with("import ")) {
                    let from = line.split('"').nth(1).unwrap_or_default().trim_start_matches('.');
                    assert!(FILES.iter().any(|(known, ..)| *known == from), "{address} imports {from}");
                }
            }
        }
    }
}
