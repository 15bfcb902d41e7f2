import type { Rule } from './rule.ts'

interface Document {
  readonly format: string
  readonly key: string
  readonly value: unknown
  readonly text: string
  readonly violation: string
  readonly found: unknown
}

/** A file of each format that has no surface, as programs of others have them. */
const DOCUMENTS: Readonly<Record<string, Document>> = {
  '/etc/libuser.conf': {
    format: 'ini',
    key: 'defaults.crypt_style',
    value: 'sha512',
    text: '[defaults]\\ncrypt_style = sha512\\n[userdefaults]\\nLU_HOME = /home\\n',
    violation: `sed -i 's/^crypt_style.*/crypt_style = md5/' /etc/libuser.conf; printf '[import]\\ncrypt_style = sha512\\n' >> /etc/libuser.conf`,
    found: 'md5',
  },
  '/etc/adduser.conf': {
    format: 'shell',
    key: 'DIR_MODE',
    value: { at_most: '0750' },
    text: 'DIR_MODE=0750\\n',
    violation: `echo 'DIR_MODE="0755" # as it always was' >> /etc/adduser.conf`,
    found: '0755',
  },
  '/etc/host.conf': {
    format: 'space',
    key: 'multi',
    value: 'on',
    text: 'multi on\\n',
    violation: `printf '\\tmulti  off\\n' >> /etc/host.conf`,
    found: 'off',
  },
  '/etc/daemon.json': {
    format: 'json',
    key: 'log-opts.max-size',
    value: '10m',
    text: '{\\n  "log-opts": {\\n    "max-size": "10m"\\n  },\\n  "max-size": "10m"\\n}\\n',
    violation: `sed -i '3s/10m/10g/' /etc/daemon.json`,
    found: '10g',
  },
  '/etc/exporter.yaml': {
    format: 'yaml',
    key: 'server.tls.minimum',
    value: '1.2',
    text: 'server:\\n  tls:\\n    minimum: "1.2" # of TLS\\n',
    violation: `sed -i 's/"1.2"/"1.0"/' /etc/exporter.yaml`,
    found: '1.0',
  },
  '/etc/containers.toml': {
    format: 'toml',
    key: 'engine.no_pivot_root',
    value: 'false',
    text: 'no_pivot_root = true\\n[engine]\\nno_pivot_root = false\\n',
    violation: `sed -i 's/= false/= true/' /etc/containers.toml`,
    found: 'true',
  },
  '/etc/agent.properties': {
    format: 'properties',
    key: 'audit.enabled',
    value: 'true',
    text: 'audit.enabled = true\\n',
    violation: `printf 'audit.enabled:\\\\\\n  false\\n' >> /etc/agent.properties`,
    found: 'false',
  },
  '/etc/rotate.conf': {
    format: 'equals',
    key: 'keep',
    value: { at_least: 30 },
    text: 'keep = 30\\n',
    violation: `sed -i 's/30/7/' /etc/rotate.conf`,
    found: '7',
  },
}

/** Settings in files of any name. */
export const documents: readonly Rule[] = Object.entries(DOCUMENTS).map(
  ([path, { format, key, value, text, violation, found }]): Rule => {
    return {
      type: 'setting',
      name: `${path}:${key}`,
      properties: { format, value },
      prepare: `printf '${text}' > ${path}`,
      violation,
      drift: [['value', found]],
    }
  },
)
