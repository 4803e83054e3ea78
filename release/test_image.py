# SPDX-License-Identifier: Apache-2.0
"""Images hold what their descriptions say, and are the same whenever they are made."""

import gzip
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import tarfile
from pathlib import Path

LOADER = importlib.machinery.SourceFileLoader("image", str(Path(__file__).with_name("image")))
image = importlib.util.module_from_spec(importlib.util.spec_from_loader("image", LOADER))
LOADER.exec_module(image)

FILES = {"usr/bin/a": (0o755, b"program"), "usr/lib/b": (0o644, b"data"), "lib": (0o777, "usr/lib")}


def made() -> bytes:
    return image.archive("a", "1.2.3", FILES, {"Entrypoint": ["/usr/bin/a"]})


def contents(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}


def test_every_blob_is_what_its_digest_says():
    for path, content in contents(made()).items():
        if path.startswith("blobs/sha256/"):
            assert path == "blobs/sha256/" + hashlib.sha256(content).hexdigest()


def test_an_image_is_found_from_its_index():
    files = contents(made())

    def blob(described: dict) -> bytes:
        content = files["blobs/" + described["digest"].replace(":", "/")]
        assert len(content) == described["size"]
        return content

    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    (only,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(only))
    config = json.loads(blob(manifest["config"]))
    (described,) = manifest["layers"]
    layer = gzip.decompress(blob(described))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    assert config["config"]["Entrypoint"] == ["/usr/bin/a"]
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        found = {entry.name: entry for entry in tar}
        assert list(found) == ["lib", "usr", "usr/bin", "usr/bin/a", "usr/lib", "usr/lib/b"]
        assert (
            found["usr/bin/a"].mode == 0o755
            and found["usr"].isdir()
            and found["lib"].linkname == "usr/lib"
        )
        assert tar.extractfile("usr/lib/b").read() == b"data"
        assert {(entry.uid, entry.gid, entry.mtime) for entry in tar} == {(0, 0, 0)}


def test_the_same_files_give_the_same_bytes():
    assert made() == made()
