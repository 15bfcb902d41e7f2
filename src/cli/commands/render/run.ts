import { EXIT } from '../../../model/gate.ts'
import { type RenderedPolicy, renderPolicy } from '../../../engine/inspect/render/index.ts'
import { reportProblems } from '../../errors.ts'
import { withOne } from '../../load-one.ts'
import { checksumOf } from '../../options/bundle.ts'
import { loadExtensions } from '../../options/extension.ts'
import { inputsOf, isUntrusted } from '../../options/input.ts'
import type { Io } from '../../output/io.ts'
import type { RenderInvocation } from './index.ts'

/** Prints a policy with resolved values and returns the exit code. */
export async function runRender({ operands, options }: RenderInvocation, io: Io): Promise<number> {
  const [source = ''] = operands
  const checksum = await checksumOf(operands, options, 'render')
  const { types, facts } = await loadExtensions(options, io)
  const loading = {
    ...inputsOf(options, facts),
    ...checksum,
    untrusted: isUntrusted([source], options),
    types,
    source,
    beside: '',
    command: 'render',
    io,
  }
  const code = await withOne(loading, async (document) => {
    const secrets = options['show-secrets'] ? 'show' : 'hide'
    const resolve = (): RenderedPolicy => renderPolicy(document, { types, secrets })
    const { text, unresolved } = await (document.policy.complete?.(resolve) ?? resolve())
    await reportProblems(
      unresolved.map(({ id, message }) => ({
        message: `${id} is printed unresolved: ${message}`,
        severity: 'warning',
      })),
      io,
    )
    await io.print(text)
    return EXIT.ok
  })
  return code ?? EXIT.notPerformed
}
