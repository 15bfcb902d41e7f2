// The bill of materials, in the JSON of CycloneDX 1.5: what the program contains of the registry of npm, with licences, and Node.
// @see https://cyclonedx.org/docs/1.5/json/
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of the bill. `runtime` is the version of the Node inside; undefined for the npm package. */
export function sbomOf({ root, info, runtime }) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const components = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, entry]) => componentOf(path.replace(/^.*node_modules\//, ''), entry))
  const node = runtime === undefined ? [] : [componentOf('node', { version: runtime, license: 'MIT' }, 'generic')]
  const unique = new Map([...node, ...components].map((component) => [component['bom-ref'], component]))
  const ref = `pkg:npm/driftgate@${info.version}`
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      ...(info.seconds !== null && { timestamp: new Date(info.seconds * 1000).toISOString() }),
      component: { type: 'application', 'bom-ref': ref, name: 'driftgate', version: info.version, purl: ref },
    },
    components: [...unique.values()],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

function componentOf(name, { version, license, integrity }, kind = 'npm') {
  const purl = `pkg:${kind}/${name.replace('@', '%40')}@${version}`
  const digest = /^sha512-(.+)$/.exec(integrity ?? '')?.[1]
  return {
    type: kind === 'npm' ? 'library' : 'platform',
    'bom-ref': purl,
    name,
    version,
    ...(digest !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(license !== undefined && {
      licenses: [/ OR | AND /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
    purl,
  }
}
