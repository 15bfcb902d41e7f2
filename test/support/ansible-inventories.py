"""What Ansible makes of inventories, one JSON document of groups and variables a line; those of the paths that are its input."""
import datetime
import json
import os
import sys

os.environ.update({'ANSIBLE_INVENTORY_UNPARSED_WARNING': 'False', 'ANSIBLE_LOCALHOST_WARNING': 'False'})
from ansible import constants
from ansible.cli.inventory import INTERNAL_VARS
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.yaml.objects import AnsibleVaultEncryptedUnicode
from ansible.utils.display import Display
from ansible.vars.manager import VariableManager

Display.display = lambda *_words, **_more: None
constants.INVENTORY_ANY_UNPARSED_IS_FAILED = True


def told(value):
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, AnsibleVaultEncryptedUnicode):
        return '$vault'
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return {'$whole': str(value)}
    if isinstance(value, float):
        return {'$float': repr(value)} if value != value or value in (float('inf'), float('-inf')) else {'$float': value}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return str(value)
    if isinstance(value, dict):
        return {str(told(key)) if not isinstance(key, str) else str(key): told(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [told(each) for each in value]
    return '$python'


def inventory(path):
    loader = DataLoader()
    loader.set_basedir('/nonexistent')
    manager = InventoryManager(loader, sources=[path])
    variables = VariableManager(loader=loader, inventory=manager)
    hosts = {}
    for host in manager.get_hosts():
        found = variables.get_vars(host=host, include_hostvars=False, stage='all')
        hosts[host.name] = {key: told(value) for key, value in found.items() if key not in INTERNAL_VARS}
    groups = {name: sorted(host.name for host in group.get_hosts()) for name, group in manager.groups.items()}
    return {'groups': groups, 'hosts': hosts}


for line in sys.stdin:
    try:
        answer = inventory(line.rstrip('\n'))
    except Exception as error:  # whatever it is, there is no inventory
        answer = {'error': str(error)}
    print(json.dumps(answer))
