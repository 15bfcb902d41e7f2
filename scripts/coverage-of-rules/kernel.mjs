// Parameters and modules of the kernel.
import { acceptanceOf } from './acceptance.mjs'

export const kernel = {
  kinds: ['kernel-param', 'kernel-module'],
  translate({ kind, params }) {
    if (kind === 'kernel-module') {
      return [{ type: 'kernel_module', name: params.module, properties: { loaded: false, available: false } }]
    }
    return [{ type: 'sysctl', name: params.name, properties: { value: acceptanceOf(params.op, params.value) } }]
  },
}
