import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Why tests that need xmllint are skipped, or undefined where it is installed (Debian package libxml2-utils). */
export const xmllintMissing: string | undefined =
  spawnSync('xmllint', ['--version']).status === 0 ? undefined : 'xmllint is not installed'

/** What xmllint says against a document under a schema of `test/fixtures/junit`; the empty string if nothing. */
export function validateXml(xml: string, schema: string): string {
  const path = fileURLToPath(new URL(`../fixtures/junit/${schema}`, import.meta.url))
  const { status, stderr } = spawnSync('xmllint', ['--huge', '--noout', '--schema', path, '-'], { input: xml })
  return status === 0 ? '' : stderr.toString()
}

/** The document in canonical form as libxml2 reads it: CDATA resolved, entities decoded. */
export function canonicalizeXml(xml: string): string {
  const { status, stdout, stderr } = spawnSync('xmllint', ['--huge', '--c14n', '-'], { input: xml, maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}
