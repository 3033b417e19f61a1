import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { houseFacts } from '../../tools/house.ts'
import { parsePolicy } from './parse.ts'

/** `3:5 message`, one for each problem. */
function problemsOf(text: string): string[] {
  const parsed = parsePolicy(text, houseFacts)
  return parsed.ok ? [] : parsed.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

test('the documented example is in order', () => {
  const text = readFileSync(new URL('../../../../docs/policy.example.yaml', import.meta.url), 'utf8')
  expect(problemsOf(text)).toEqual([])
})

test.each(['', '# nothing yet\n', 'rules:\n', '{}', 'rules: []\ntiers:\n'])('%j adds nothing', (text) => {
  expect(problemsOf(text)).toEqual([])
})

test('all problems are told at once, each where it stands', () => {
  const text = [
    'profile: permissive',
    'tiers: {stop_vm: yellow, stop_vmm: red}',
    'rules:',
    '  - name: Nights',
    '    tools: [restart_vm]',
    '    when: {hours: 22-7, argz: {}}',
    '    tier: green',
    'foo: 1',
  ].join('\n')
  expect(problemsOf(text).map((problem) => problem.split('. ')[0])).toEqual([
    '1:1 profile is set with npm run jarvis -- profile NAME, or in the dashboard.',
    '2:9 tiers.stop_vm cannot be yellow: the tool is red, and this file only raises',
    expect.stringMatching(/^2:26 tiers.stop_vmm names no tool: there is no stop_vmm/),
    '4:5 rules[1].because is missing; it must be a sentence: it stands on cards and refusals.',
    '4:11 rules[1].name must be a short name of its own, for example prod-at-night.',
    '6:19 rules[1].when.hours must be hours from-to, for example 22:00-07:00.',
    '6:25 rules[1].when.argz is not known here',
    '7:11 rules[1].tier must be yellow, red or black, for a rule only raises, or observed.',
    '8:1 foo is not known here',
  ])
})

const rule = (more: string) => `rules: [{name: a, tier: red, because: x, ${more}}]`
test.each([
  // Entries that would lower a tier.
  ['tiers: {restart_service: green}', '1:9 tiers.restart_service cannot be green'],
  ['tiers: {get_vms: green}', 'must be yellow, red or black'],
  ['rules: [{name: a, tools: [stop_vm], tier: yellow, because: x}]', 'is red already, and a rule only raises'],
  ['allow: [{tool: stop_vm, because: x}]', 'allow[1].target is missing'],
  ['allow: [{target: vm/105, because: x}]', 'allow[1].tool is missing'],
  ['allow: [{tool: all, target: vm/105, because: x}]', 'there is no all'],
  ['allow: [{tool: stop_vm, target: tag:lab, because: x}]', 'must be vm/ID or ct/ID'],
  ['allow: [{tool: stop_vm, target: [vm/105], because: x}]', 'must be vm/ID or ct/ID'],
  ['allow: [{tool: stop_vm, target: ct/105, because: x}]', 'is not what stop_vm works on'],
  ['allow: [{tool: execute_ssh, target: vm/105, because: x}]', 'execute_ssh is yellow: there is nothing to allow'],
  ['limits: {breaker: {failures: 50}}', 'must be 1 to 5'],
  // The workbench.
  ['workbench: {roots: [{name: a, path: srv}]}', 'must be an absolute path'],
  ['workbench: {roots: [{name: a, path: /srv/../etc}]}', 'must not hold "." or ".."'],
  ['workbench: {roots: [{name: a, path: /}]}', 'is the whole machine'],
  ['workbench: {roots: [{name: a, path: /proc/1}]}', 'is in /proc'],
  ['workbench: {roots: [{name: session, path: /srv}]}', 'is the name of each session’s own folder'],
  ['workbench: {roots: [{name: a, path: /a}, {name: a, path: /b}]}', 'is the name of a root before'],
  ['workbench: {roots: [{name: a, path: /a, write: maybe}]}', 'must be true or false'],
  ['workbench: {web: {private: [nas.lan]}}', 'must be HOST:PORT'],
  ['workbench: {web: {fetch: false, private: ["nas.lan:80"]}}', 'reads none of them'],
  ['workbench: {docker: true}', 'must be an absolute path'],
  ['workbench: {docker: /etc/passwd}', 'is no socket'],
  ['workbench: {git: true}', 'needs a root'],
  ['workbench: {shell: true}', 'is not known here'],
  ['limits: {breaker: {pause: 1s}}', 'must be 5m or more'],
  // Conditions that could never hold.
  [rule('tools: [stop_vm], when: {args: {force: yes}}'), 'force takes true or false'],
  [rule('tools: [stop_vm], when: {args: {forse: true}}'), 'forse is no argument of stop_vm'],
  [rule('tools: [stop_vm], when: {args: {vmid: "105"}}'), 'vmid takes a number'],
  [rule('tools: [stop_vm], when: {args: {vmid: {startsWith: "1"}}}'), 'vmid takes a number'],
  [rule('tools: [stop_vm], when: {args: {node: pve}}'), 'write when: {node: …} instead'],
  [rule('tools: [stop_vm], when: {target: 105}'), 'must be vm/ID'],
  [rule('tools: [stop_vm], when: {target: []}'), 'must not be empty'],
  [rule('tools: all, when: {args: {colour: red}}'), 'colour is no argument of any tool'],
  [rule('tools: all, when: {hours: 25:00-07:00}'), 'must be hours from-to'],
  [rule('tools: all, when: {days: [monday]}'), 'must be of sun, mon'],
  [rule('tools: all, when: {profile: calm}'), 'must be of lockdown'],
  [rule('tools: []'), 'must be all, or a list'],
  [rule('tools: stop_vm'), 'must be all, or a list'],
  ['timezone: Mars', 'must be the name of a time zone'],
  // Words that would stand on a card.
  ['rules: [{name: a, tools: all, tier: red, because: "a\\u202eb"}]', 'one line of visible characters'],
  ['rules: [{name: a, tools: all, tier: red, because: " "}]', 'must say why'],
  ['rules: [{name: a, tools: all, tier: red, because: x}, {name: a, tools: all, tier: red, because: x}]', 'before'],
  // YAML with a second meaning.
  ['a: &x []\nb: *x', '2:4 References (*name) are not read here'],
  ['tiers: {stop_vm: black}\ntiers: {}', '2:1 This key stands here twice'],
  ['__proto__: {tiers: {}}', '1:1 __proto__ cannot be a name here'],
  ['tiers: {constructor: red}', '1:9 constructor cannot be a name here'],
  ['topology: {groups: {__proto__: [ct/110, ct/111]}}', '__proto__ cannot be a name here'],
  ['1: 2', 'A key must be text'],
  ['? [a]\n: 1', 'A key must be text'],
  ['rules: !!js/function "x"', 'Tags (tag:yaml.org,2002:js/function) are not read here'],
  ['<<: {rules: []}', '<< is not known here'],
  ['rules: []\n---\nrules: []', '2:1 A second document begins here'],
  ['rules: [', 'This is not YAML'],
  ['- rules', 'The file must be keys'],
  ['7', 'The file must be keys'],
  ['rules: [{name: a, tier: red, because: x}]', 'rules[1].tools is missing; it must be all, or a list of tools'],
  ['rules: [{name: a, effect: explode, tier: red, because: x}]', 'rules[1].effect[1] must be of read, power, config'],
])('%j is refused: %s', (text, problem) => {
  expect(problemsOf(text).join('\n')).toContain(problem)
})

test('what is nested too deeply, or too long, is refused and not fatal', () => {
  expect(problemsOf(`rules: ${'['.repeat(50_000)}${']'.repeat(50_000)}`)).not.toEqual([])
  expect(problemsOf(`#${' '.repeat(300_000)}`)).toEqual(['1:1 The file is over 256 kB.'])
})

test('no text makes it throw, and a problem always stands inside the text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]:-, \n"#&*!|>abc') })),
      (text) => {
        const parsed = parsePolicy(text, houseFacts)
        const lines = text.split('\n').length
        if (!parsed.ok) for (const { line } of parsed.problems) expect(line).toBeLessThanOrEqual(lines)
      },
    ),
  )
})
