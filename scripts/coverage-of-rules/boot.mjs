// How the kernel is started, and who may change that.
import { acceptanceOf } from './acceptance.mjs'

const OPERATORS = { 'greater than or equal': '>=' }

export const boot = {
  kinds: ['boot'],
  translate({ sub, params }) {
    if (sub === 'password') return [{ type: 'boot_password', name: 'grub', properties: {} }]
    const { argument, op, value, args, args_absent: absent } = params
    if (args !== undefined) return args.map((each) => given(each, (found) => ({ value: found })))
    // Any other value is as good as none.
    if (absent !== undefined) {
      return absent.map((each) => given(each, (found) => ({ value: { not: found }, if_absent: 'compliant' })))
    }
    if (argument === undefined) return undefined
    const accepted = acceptanceOf(OPERATORS[op] ?? op, value)
    // Those of zipl are entries and sources like others.
    return accepted === undefined
      ? undefined
      : [{ type: 'boot_argument', name: argument, properties: { value: accepted } }]
  },
}

/** `name=value` as a resource. */
function given(text, propertiesOf) {
  const [name, value] = text.split('=')
  return { type: 'boot_argument', name, properties: propertiesOf(value) }
}
