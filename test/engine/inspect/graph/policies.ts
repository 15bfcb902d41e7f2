import type { Child, Policy } from '../../../../src/model/policy.ts'
import { control, declare, policyOf } from '../../../support/policy.ts'

/** A declaration that reads exported values of earlier resources. */
const reader = { ...declare('file#/etc/issue'), reads: [{ resource: 'file#/etc/motd', field: 'owner' }] }

/** What an apply resource stands for when its manifest was read. */
export function childOf(policy: Policy, extra: Partial<Extract<Child, { kind: 'loaded' }>> = {}): Child {
  return { kind: 'loaded', policy, noop: false, healthCheckOnly: false, ...extra }
}

/** A policy with every kind of relation, and every kind of child manifest. */
export const site: Policy = policyOf(
  [
    declare('file#/etc/motd'),
    declare('service#web', { require: ['file#/etc/motd'], subscribe: ['file#/etc/motd'] }),
    reader,
    declare('apply#base.yaml', { require: ['service#web'] }),
    declare('apply#mail.yaml'),
    declare('apply#broken.yaml'),
  ],
  {
    id: 'site',
    source: 'site.yaml',
    controls: [control('c-1', ['file#/etc/motd', 'service#web'], { title: 'Greets', severity: 'high' })],
    children: new Map<string, Child>([
      [
        'apply#base.yaml',
        childOf(policyOf([declare('file#/base')], { source: 'base.yaml' }), { noop: true, healthCheckOnly: true }),
      ],
      ['apply#mail.yaml', { kind: 'ruled-out', because: 'control.if is false: Data.mail' }],
      ['apply#broken.yaml', { kind: 'failed', reason: 'template', errors: ['no such name', 'nor that'] }],
    ]),
  },
)

export function named(names: readonly string[]): Policy {
  return policyOf(names.map((name, at) => declare(`file#${name}`, { id: `file#${name} ${at}` })))
}

/** Texts that mean something in a drawing language, in Markdown, in HTML or to a terminal. */
export const HOSTILE: readonly string[] = [
  '"]:::x',
  '`md`',
  '"`md`"',
  '<b onmouseover="alert(1)">',
  '&lt;',
  '#quot;',
  '#35;',
  '%% comment',
  "%%{init: {'theme': 'dark'}}%%",
  'style: a#b;c;',
  'classDef: a#b;c;',
  'direction  LR',
  ' direction TB',
  'end',
  'a\n  end\n  click r0 call alert()',
  '\r\n%%',
  String.raw`\N \G \l \" \\`,
  'ends in \\',
  '**bold** _em_ ~~s~~ [a](b)',
  'see www.example.com, WWW.example.com, https://example.com or a@example.com',
  '$$x$$',
  'fa:fa-bomb',
  'ﬂ°°35¶ß',
  '--> r1 & r2; r3',
  '{{ }} (( )) [/ /]',
  '::error::x ##vso[task] \u001b[31m \u202e',
  '😀 ä 中',
]
