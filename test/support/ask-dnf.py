"""Asks dnf itself. Reads lines of JSON, each the root of a machine, and answers each with the switches of dnf and of its
repositories, as JSON, or with null where dnf refuses the configuration."""

import json
import logging
import sys

import dnf

KEYS = ["gpgcheck", "repo_gpgcheck", "localpkg_gpgcheck", "best", "sslverify"]

logging.disable(logging.CRITICAL)


def switches(of, keys):
    return {key: "1" if getattr(of, key) else "0" for key in keys}


def ask(root):
    base = dnf.Base()
    base.conf.substitutions["releasever"] = "9"
    base.conf.config_file_path = root + "/etc/dnf/dnf.conf"
    base.conf.read(priority=dnf.conf.PRIO_MAINCONFIG)
    main = switches(base.conf, KEYS)
    base.conf.reposdir = [root + "/etc/yum.repos.d"]
    base.read_all_repos()
    return {"main": main, "repositories": {each.id: switches(each, KEYS[:2]) for each in base.repos.all()}}


for line in sys.stdin:
    try:
        print(json.dumps(ask(json.loads(line))), flush=True)
    except Exception:
        print("null", flush=True)
