import { expect, test } from 'vitest'
import { parseSkill } from './front.ts'

const skill = (front: string, body = 'Do this.') => `---\n${front}\n---\n${body}\n`
const faultsOf = (front: string, folder = 'hot-node') =>
  parseSkill(skill(front), folder).faults.map(({ line, message }) => `${line}: ${message}`)

test('name, description and what is only shown', () => {
  const { front, body, faults } = parseSkill(
    skill(
      'name: hot-node\ndescription: Cools a node.\nlicense: MIT\ncompatibility: Proxmox VE 9\nmetadata:\n  author: ana\nallowed-tools: Bash(git:* -a) Read\nhooks: {}',
    ),
    'hot-node',
  )
  expect(faults).toEqual([])
  expect(body).toBe('Do this.')
  expect(front).toEqual({
    name: 'hot-node',
    description: 'Cools a node.',
    license: 'MIT',
    compatibility: 'Proxmox VE 9',
    metadata: { author: 'ana' },
    wants: ['Bash(git:* -a)', 'Read'],
    others: ['hooks'],
  })
})

test('a bare colon in the description is quoted and read again', () => {
  const { front, faults } = parseSkill(skill('name: hot-node\ndescription: Use it: always, "now": yes'), 'hot-node')
  expect(faults).toEqual([])
  expect(front.description).toBe('Use it: always, "now": yes')
})

test.each([
  ['Hot-Node', 'upper case'],
  ['hot--node', 'two hyphens'],
  ['-hot', 'a hyphen at the begin'],
  ['hot_node', 'an underscore'],
  ['x'.repeat(65), 'too long'],
  ['hót', 'an accent'],
])('the name %s is refused: %s', (name) => {
  expect(faultsOf(`name: ${name}\ndescription: d`, name)[0]).toMatch(/^2: name has 1 to 64/)
})

test.each([
  ['name: other\ndescription: d', '2: name is other and the folder is hot-node: they must be equal.'],
  ['description: d', '1: name is missing.'],
  ['name: hot-node', '1: description is missing: say what the skill does and when it is for.'],
  ['name: hot-node\ndescription: a <b> c', '3: description may have no < and no >: a model could take them for marks.'],
  [`name: hot-node\ndescription: ${'d'.repeat(1_025)}`, '3: description has 1025 characters; it may have 1024.'],
  // An escape writes what stands nowhere in the file.
  ['name: hot-node\ndescription: "a\\u202Eb"', '3: description holds a character that cannot be seen, U+202E.'],
  [
    'name: hot-node\ndescription: d\nmetadata:\n  a: "\\u200b"',
    '4: metadata holds a character that cannot be seen, U+200B.',
  ],
  [`name: hot-node\ndescription: d\ncompatibility: ${'c'.repeat(501)}`, '4: compatibility has 1 to 500 characters.'],
  ['name: &a hot-node\ndescription: *a', '1: The front matter may have no anchors, references or tags: write it out.'],
  ['name: hot-node\nname: hot-node\ndescription: d', expect.stringMatching(/^3: The front matter is not YAML/)],
  ['- a\n- b', '1: The front matter must be keys such as name and description.'],
])('%j is refused', (front, fault) => {
  expect(faultsOf(front)).toContainEqual(fault)
})

test.each(['', 'no front matter', '---\nname: a', `---\n${'a: {'.repeat(2_000)}\n---\nx`])(
  '%# is no skill, and nothing breaks',
  (text) => {
    expect(parseSkill(text, 'a').faults.length).toBeGreaterThan(0)
  },
)

test('a name that JavaScript knows is no metadata', () => {
  const { front } = parseSkill(skill('name: a\ndescription: d\nmetadata:\n  __proto__: x\n  b: y'), 'a')
  expect(front.metadata).toEqual({ b: 'y' })
})
