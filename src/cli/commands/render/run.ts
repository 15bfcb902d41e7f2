import { EXIT } from '../../../model/gate.ts'
import { type RenderedPolicy, renderPolicy } from '../../../engine/inspect/render/index.ts'
import { reportProblems } from '../../errors.ts'
import { loadTypes } from '../../../subjects/index.ts'
import { withOne } from '../../load-one.ts'
import { loadingOf } from '../../options/loading.ts'
import type { Io } from '../../output/io.ts'
import type { RenderInvocation } from './index.ts'

/** Prints a policy with resolved values and returns the exit code. */
export async function runRender({ operands, options }: RenderInvocation, io: Io): Promise<number> {
  const [source = ''] = operands
  const loading = await loadingOf([source], options, 'render', io)
  const types = loading.types ?? (await loadTypes())
  const code = await withOne({ ...loading, types, source, beside: '' }, async (document) => {
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
