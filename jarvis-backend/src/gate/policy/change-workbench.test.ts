import fc from 'fast-check'
import type { WorkbenchSection } from 'protocol'
import { expect, test } from 'vitest'
import { runs } from '../../../../scripts/property-runs.ts'
import { houseFacts } from '../../tools/house.ts'
import { editedPolicy, type PolicyText, sectionNow } from './change-workbench.ts'
import { parsePolicy } from './parse.ts'
import { withWorkbench } from './write-workbench.ts'

const fileOf = (text: string): PolicyText => ({
  read: () => ({ text, hash: `hash of ${text}` }),
  write: () => {},
  parse: (given) => parsePolicy(given, houseFacts),
})
const off: WorkbenchSection = { exec: false, web: { private: [] }, browser: false, git: false, egress: [] }
const root = (name: string, path: string, write = false) => ({ name, path, write })
const edited = (
  text: string,
  section: WorkbenchSection,
  refusal: (path: string) => string | undefined = () => undefined,
) => editedPolicy(fileOf(text), { section, hash: `hash of ${text}` }, refusal).after

const file = `# My rules, written by hand.
timezone:   Europe/Berlin   # three spaces

# What JARVIS may work with.
workbench:
  # Every folder here was thought about.
  roots:
    - { name: compose, path: /srv/compose, write: true } # the stacks
    - name: logs
      path: /var/log
  exec: false # not yet
  web:
    private: ["jellyfin.lan:8096"] # ours

# Below stands what nobody may touch.
protected: [vm/101,    node/pve]
`
const inFile: WorkbenchSection = {
  ...off,
  roots: [root('compose', '/srv/compose', true), root('logs', '/var/log')],
  web: { private: ['jellyfin.lan:8096'] },
}

test('the section is read as it stands, and saving the same changes no byte', () => {
  expect(sectionNow(fileOf(file)).section).toEqual(inFile)
  expect(edited(file, inFile)).toBe(file)
})

test('a change keeps every other line, and the comments of its own', () => {
  const after = edited(file, {
    ...inFile,
    roots: [root('compose', '/srv/stacks', true), root('config', '/srv/a: b #c')],
    exec: true,
    web: { fetch: true, private: ['jellyfin.lan:8096', 'nas.lan:80'] },
    docker: '/var/run/docker.sock',
    egress: ['example.org:443'],
  })
  expect(after).toBe(`# My rules, written by hand.
timezone:   Europe/Berlin   # three spaces

# What JARVIS may work with.
workbench:
  # Every folder here was thought about.
  roots:
    - { name: compose, path: /srv/stacks, write: true } # the stacks
    - { name: config, path: "/srv/a: b #c" }
  exec: true # not yet
  web:
    private: [ "jellyfin.lan:8096", nas.lan:80 ] # ours
    fetch: true
  docker: /var/run/docker.sock
  egress: [ example.org:443 ]

# Below stands what nobody may touch.
protected: [vm/101,    node/pve]
`)
})

test.each([
  ['nothing', '', 'workbench:\n  exec: true\n'],
  ['comments alone', '# mine\n', '# mine\n\nworkbench:\n  exec: true\n'],
  ['no end of the last line', 'proof: passkey', 'proof: passkey\n\nworkbench:\n  exec: true\n'],
  [
    'lines that end with CRLF',
    '# a\r\nproof: passkey\r\n',
    '# a\r\nproof: passkey\r\n\r\nworkbench:\r\n  exec: true\r\n',
  ],
  [
    'a CRLF section',
    'workbench:\r\n  git: false # no\r\n# b\r\ntimezone: UTC\r\n',
    'workbench:\r\n  git: false # no\r\n  exec: true\r\n# b\r\ntimezone: UTC\r\n',
  ],
  ['a byte order mark', '\uFEFFworkbench: {}\n', '\uFEFFworkbench:\n  exec: true\n'],
  ['a section in braces', 'workbench: { git: false }\n', 'workbench: { git: false, exec: true }\n'],
  [
    'a section whose lines are comments',
    'workbench:\n  # git: true\nprotected: []\n',
    'workbench:\n  # git: true\n  exec: true\nprotected: []\n',
  ],
  ['a key in quotes', '"workbench":\n  exec: false\n', '"workbench":\n  exec: true\n'],
])('a file with %s gets the section', (_, text, after) => {
  expect(edited(text, { ...off, exec: true })).toBe(after)
})

test.each<[string, string, WorkbenchSection, string]>([
  ['broken', 'tiers: {stop_vm: green}\n', off, 'cannot be green'],
  ['with anchors', 'a: &x []\n', off, 'Anchors (&name) are not read here'],
  ['with a second document', 'protected: []\n---\nprotected: []\n', off, 'A second document begins here'],
  ['in braces as a whole', '{ protected: [vm/101] }\n', { ...off, exec: true }, 'cannot be changed here'],
  ['with an end of document', 'protected: [vm/101]\n...\n', { ...off, exec: true }, 'cannot be changed here'],
  ['a root named twice', '', { ...off, roots: [root('a', '/a'), root('a', '/b')] }, 'is the name of a root before'],
  ['a root with YAML in its name', '', { ...off, roots: [root('a, path: /etc, write: true}', '/a')] }, 'a short name'],
  ['a root with lines in its path', '', { ...off, roots: [root('a', '/a\n  exec: true')] }, 'an absolute path'],
  ['the whole machine', '', { ...off, roots: [root('a', '/')] }, 'is the whole machine'],
  ['a relative root', '', { ...off, roots: [root('a', 'srv')] }, 'an absolute path'],
  ['a place with YAML in it', '', { ...off, egress: ['a:1]\nexec: true #'] }, 'HOST:PORT'],
  ['Git without a root', '', { ...off, git: true }, 'needs a root'],
  ['a socket that is none', '', { ...off, docker: '/etc/passwd' }, 'is no socket'],
])('%s is refused', (_, text, section, words) => {
  expect(() => edited(text, section)).toThrow(words)
})

test('a file that was changed meanwhile, and a folder that may be no root, are refused; a root that is there already is not asked about', () => {
  expect(() => editedPolicy(fileOf(file), { section: off, hash: 'another' }, () => undefined)).toThrow(
    'changed meanwhile',
  )
  const refusal = (path: string) => (path === '/srv/compose' ? 'it is gone.' : undefined)
  expect(() => edited('', { ...off, roots: [root('c', '/srv/compose')] }, refusal)).toThrow('The root c: it is gone.')
  expect(edited(file, { ...inFile, exec: true }, refusal)).toContain('exec: true # not yet')
})

test('whatever is asked for, the other lines stay, and the section means what was asked for or is refused', () => {
  const path = fc
    .oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'/ab:#{}[]"\'\\ ,&*!|>-%@\t') }))
    .map((s) => `/${s}`)
  const site = fc.oneof(
    fc.domain().map((host) => `${host}:443`),
    fc.string(),
  )
  const sections = fc.record({
    roots: fc.array(fc.record({ name: fc.stringMatching(/^[a-z0-9]{1,4}$/), path, write: fc.boolean() }), {
      maxLength: 3,
    }),
    exec: fc.boolean(),
    browser: fc.boolean(),
    git: fc.boolean(),
    web: fc.record({ private: fc.array(site, { maxLength: 2 }) }),
    egress: fc.array(site, { maxLength: 2 }),
  })
  fc.assert(
    fc.property(sections, fc.constantFrom('', file, file.replaceAll('\n', '\r\n')), (section, text) => {
      let after: string
      try {
        after = edited(text, section)
      } catch {
        return
      }
      expect(sectionNow(fileOf(after)).section.roots?.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
        section.roots.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      )
      const [head = '', tail = ''] = text.split(/workbench:[\s\S]*(?=\r?\n# Below)/)
      expect(after.startsWith(head) && after.endsWith(tail)).toBe(true)
      expect(withWorkbench(after, section)).toBe(after)
    }),
    runs(50),
  )
})
