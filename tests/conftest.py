"""What every test shares: no network, one thread, a tiny random model, and hypothesis without a database."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import hypothesis
import pytest

from openagent_lib import paths

LOOPBACK = ("127.", "::1", "localhost")

hypothesis.settings.register_profile("offline", database=None, deadline=None, derandomize=True)
hypothesis.settings.load_profile("offline")


class NetworkBlockedError(RuntimeError):
    """A test reached for the network."""


@pytest.fixture(scope="session", autouse=True)
def block_network():
    """Let sockets connect to this machine only."""
    connect, connect_ex, sendto = socket.socket.connect, socket.socket.connect_ex, socket.socket.sendto

    def check(sock, address):
        if sock.family != getattr(socket, "AF_UNIX", None) and not str(address[0]).startswith(LOOPBACK):
            raise NetworkBlockedError(f"the tests are offline, found a connection to {address!r}")

    def guarded_connect(sock, address):
        check(sock, address)
        return connect(sock, address)

    def guarded_connect_ex(sock, address):
        check(sock, address)
        return connect_ex(sock, address)

    def guarded_sendto(sock, data, *rest):
        check(sock, rest[-1])
        return sendto(sock, data, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket.socket, "sendto", guarded_sendto)
        yield


@pytest.fixture(autouse=True)
def one_thread():
    """Keep torch on one thread, where a test has imported it."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_stage_key(monkeypatch):
    """Keep the key of a notebook stage around the tests out of their settings."""
    monkeypatch.delenv("OPENAGENT_STAGE_KEY", raising=False)


@pytest.fixture(scope="session")
def tiny_backbone(tmp_path_factory):
    """Return a folder with a random model of 2 layers and width 32 and the tokenizer of the shipped backbone."""
    import torch
    from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM

    torch.set_num_threads(1)
    assert (paths.BACKBONE / "tokenizer.json").is_file(), f"expected the tokenizer of the backbone in {paths.BACKBONE}"
    folder = tmp_path_factory.mktemp("tiny") / "backbone"
    tokenizer = AutoTokenizer.from_pretrained(paths.BACKBONE)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        initializer_range=0.3,
        tie_word_embeddings=False,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    config.schema_key_order = "description_first"
    torch.manual_seed(0)
    Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def broken_copy(tmp_path):
    """Return a function that copies a folder, so that a test may damage the copy."""

    def copy(folder):
        target = tmp_path / "copy" / folder.name
        shutil.copytree(folder, target)
        return target

    return copy


@pytest.fixture(scope="session")
def killed_training(tiny_backbone, tmp_path_factory):
    """Return a run folder in which an SFT and a GRPO run were killed after their first checkpoint."""
    out = tmp_path_factory.mktemp("killed")
    script = Path(__file__).with_name("training_case.py")
    path = os.pathsep.join([str(paths.ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(script), str(out), str(tiny_backbone)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return out
