import { EXIT } from '../../../model/gate.ts'
import { renderGraph } from '../../../engine/inspect/graph/index.ts'
import { withOne } from '../../load-one.ts'
import { checksumOf } from '../../options/bundle.ts'
import { loadRunExtensions } from '../../options/extension.ts'
import { inputsOf, isUntrusted } from '../../options/input.ts'
import type { Io } from '../../output/io.ts'
import type { GraphInvocation } from './index.ts'

/** Prints the graph of a policy and returns the exit code. */
export async function runGraph({ operands: [source = ''], options }: GraphInvocation, io: Io): Promise<number> {
  const checksum = await checksumOf([source], options, 'graph')
  const { types, facts } = await loadRunExtensions(options, io)
  const loading = {
    ...inputsOf(options, facts),
    ...checksum,
    untrusted: isUntrusted([source], options),
    types,
    source,
    command: 'graph',
    io,
  }
  const code = await withOne(loading, async ({ policy }) => {
    await io.print(renderGraph(policy, { format: options.format, controls: options.controls }))
    return EXIT.ok
  })
  return code ?? EXIT.notPerformed
}
