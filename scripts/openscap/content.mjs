// Makes of the content of OpenSCAP that Debian packages, which is for Debian 11, one that judges a Debian 12 by the rules that
// `rules.yaml` compares: without the check of the release, by which everything would be "not applicable", and with a profile of
// these rules that chooses what the benchmark chooses.
//
//   node scripts/openscap/content.mjs </usr/share/xml/scap/ssg/content/ssg-debian11-ds.xml >content.xml
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const ID = 'xccdf_org.ssgproject.content'
const RELEASE = '<xccdf-1.2:platform idref="cpe:/o:debian:debian_linux:11"/>'
const FIRST_PROFILE = '<xccdf-1.2:Profile '

/** The profile to be asked for. */
export const PROFILE = `${ID}_profile_compared`

/** What is compared: `rules` by their ids in OpenSCAP, and `values`. */
export function comparedRules() {
  return parse(readFileSync(new URL('rules.yaml', import.meta.url), 'utf8'))
}

/** Throws if it is not the content that this was made for. */
export function comparableContent(dataStream) {
  const { rules, values } = comparedRules()
  const unknown = Object.keys(rules).filter((id) => !dataStream.includes(`"${ID}_rule_${id}"`))
  if (unknown.length > 0) throw new Error(`the content has no rule ${unknown.join(', ')}`)
  if (!dataStream.includes(RELEASE)) throw new Error('the content is not for Debian 11')
  const selected = Object.keys(rules).map((id) => `<xccdf-1.2:select idref="${ID}_rule_${id}" selected="true"/>`)
  const chosen = Object.entries(values).map(
    ([id, value]) => `<xccdf-1.2:set-value idref="${ID}_value_${id}">${value}</xccdf-1.2:set-value>`,
  )
  // One in a line: of elements without space between them oscap 1.3.7 reads every other one.
  const profile = [
    `<xccdf-1.2:Profile id="${PROFILE}">`,
    '<xccdf-1.2:title>compared</xccdf-1.2:title>',
    ...selected,
    ...chosen,
    '</xccdf-1.2:Profile>',
    FIRST_PROFILE,
  ].join('\n')
  return dataStream.replace(RELEASE, '').replace(FIRST_PROFILE, () => profile)
}

if (basename(process.argv[1] ?? '') === basename(fileURLToPath(import.meta.url))) {
  process.stdout.write(comparableContent(await text(process.stdin)))
}
