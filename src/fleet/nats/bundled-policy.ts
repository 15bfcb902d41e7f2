import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { sourceText } from '../../policy/document/lines.ts'
import { readDocument } from '../../policy/document/read-document.ts'
import { member, textOf } from '../../policy/document/tree.ts'
import { bundleSource } from '../../policy/fetch/bundle.ts'
import { localSource } from '../../policy/fetch/files.ts'
import { createTemporaryDirectories } from '../../policy/fetch/temporary-directories.ts'
import { createNats } from '../../host/nats/nats.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { isPolicyName } from './assignment.ts'

export interface BundledPolicy {
  /** Policy id. */
  readonly name: string
  /** Digest of its manifest, as in reports. */
  readonly manifestSha256: string
}

/** Reads the policy of a bundle. Throws an `OperatorError` for an invalid bundle or an ambiguous policy. */
export async function bundledPolicy(bundle: Uint8Array): Promise<BundledPolicy> {
  const directories = createTemporaryDirectories()
  try {
    const path = join(directories.create(), 'bundle.tar.gz')
    writeFileSync(path, bundle, { mode: 0o600 })
    const source = bundleSource(localSource, directories, { nats: createNats({ registration: '', env: {} }) })
    const read = await source.read(path)
    if ('message' in read) throw new OperatorError(`the bundle ${sha256(bundle)} cannot be used: ${read.message}`)
    const name = idIn(Buffer.from(read.bytes).toString('utf8'))
    if (isPolicyName(name)) return { name, manifestSha256: sha256(read.bytes) }
    throw new OperatorError(
      `the policy of the bundle ${sha256(bundle)} has no id, such as "policy: { id: site }": ` +
        'it could not be told apart from other policies',
    )
  } finally {
    await directories.remove()
  }
}

function idIn(text: string): string | undefined {
  const read = readDocument(sourceText('manifest.yaml', text))
  return 'root' in read ? textOf(member(member(read.root, 'policy'), 'id')) : undefined
}
