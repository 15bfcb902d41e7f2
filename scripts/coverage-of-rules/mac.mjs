// AppArmor and SELinux.
import { oneOf } from './acceptance.mjs'

export const mac = {
  kinds: ['mac'],
  translate: ({ sub, params }) => (sub === 'apparmor' ? ofApparmor(params) : ofSelinux(params)),
}

function ofApparmor({ mode, no_unconfined_process_with_profile: confined }) {
  return [{ type: 'mac', name: 'apparmor', properties: { profiles: oneOf(mode), ...(confined ? { confined } : {}) } }]
}

/** The mode of the next start alone, or that of now, too. */
function ofSelinux({ key, value, one_of: values, runtime }) {
  if (runtime === undefined) return [{ type: 'setting', name: `selinux:${key}`, properties: { value: oneOf(values) } }]
  return [{ type: 'mac', name: 'selinux', properties: { mode: value } }]
}
