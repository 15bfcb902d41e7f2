// AppArmor and SELinux, and the policy for cryptography of Red Hat.
import { oneOf } from './acceptance.mjs'

export const mac = {
  kinds: ['mac', 'crypto-policy'],
  translate({ kind, sub, params }) {
    if (kind === 'crypto-policy') return ofCryptoPolicy(params)
    return sub === 'apparmor' ? ofApparmor(params) : ofSelinux(params)
  },
}

function ofApparmor({ mode, no_unconfined_process_with_profile: confined }) {
  return [{ type: 'mac', name: 'apparmor', properties: { profiles: oneOf(mode), ...(confined ? { confined } : {}) } }]
}

/** The mode of the next start alone, or that of now, too. */
function ofSelinux({ key, value, one_of: values, runtime }) {
  if (runtime === undefined) return [{ type: 'setting', name: `selinux:${key}`, properties: { value: oneOf(values) } }]
  return [{ type: 'mac', name: 'selinux', properties: { mode: value } }]
}

/** Exactly these modules: another one may allow again what they forbid. */
function ofCryptoPolicy({ base, sub }) {
  const [name, ...modules] = base.split(':')
  return [{ type: 'crypto_policy', name, properties: { modules: [...modules, ...sub] } }]
}
