import type { PassedOver } from '../inventory.ts'
import { isYes } from './become.ts'
import { NAMES_A_SECRET, findUnusable } from './variables.ts'

/** Variables for the connection, and for Ansible's own operation on the host. */
const OF_THE_CONNECTION =
  /^ansible_(?:connection|host|port|user|private_key_file|group_priority|(?:become|sudo|doas|su)(?:_(?:method|user|exe|flags|allow_same_user))?|ssh_(?:host|port|user|private_key_file|common_args|extra_args|args|executable|pkcs11_provider|pipelining|retries|timeout|transfer_method|use_tty)|(?:docker|podman|kubectl)_\w+|(?:scp|sftp)_\w+|[a-z0-9]+_interpreter|interpreter_\w+|pipelining|timeout|remote_tmp|async_dir|shell_(?:type|executable)|control_path(?:_dir)?|sshpass_prompt|(?:winrm|psrp|httpapi|network|netconf|libssh|paramiko)_\w+)$/

const A_PASSWORD = /^ansible_(?:\w+_)?(?:pass|password|passphrase|token)$/

const HOST_KEYS = /^ansible_(?:ssh_)?host_key_checking$/

/** Use of a variable: policy data, connection setting, or the reason why it is ignored. */
export function roleOf(name: string, value: unknown): 'data' | 'connection' | PassedOver['why'] {
  if (A_PASSWORD.test(name)) return 'password'
  if (HOST_KEYS.test(name)) return isYes(String(value)) === true ? 'connection' : 'host-key'
  if (OF_THE_CONNECTION.test(name)) return 'connection'
  if (name.startsWith('ansible_')) return 'unknown'
  return findUnusable(value) ?? (NAMES_A_SECRET.test(name) ? 'secret' : 'data')
}
