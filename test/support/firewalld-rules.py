"""What firewalld makes of each directory that is named: whether it took it, and what nft lists then, as one list of JSON.

To be run where nobody else has rules: with unshare --net.
"""

import json
import os
import subprocess
import sys

# It logs to standard output.
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

from firewall import config  # noqa: E402
from firewall.core.fw import Firewall  # noqa: E402

told = []
for directory in sys.argv[1:]:
    config.set_system_config_paths(directory)
    subprocess.run(["nft", "flush", "ruleset"], check=True)
    firewall = Firewall()
    firewall.start()
    listed = subprocess.run(["nft", "-j", "list", "ruleset"], capture_output=True, text=True, check=True)
    told.append({"state": firewall._state, "nft": listed.stdout})
json.dump(told, answer)
