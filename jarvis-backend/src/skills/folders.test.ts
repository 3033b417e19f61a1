import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SkillFolders } from './folders.ts'
import { Trees } from './tree.ts'

function folders() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-skills-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const all = new SkillFolders({ dir, trees: new Trees(), reserved: () => undefined })
  return {
    see: (name: string) => all.see(name),
    write(name: string, text: string) {
      mkdirSync(join(dir, name), { recursive: true })
      writeFileSync(join(dir, name, 'SKILL.md'), text)
    },
  }
}
const text = (name: string, body: string) => `---\nname: ${name}\ndescription: How it is done.\n---\n${body}\n`

test('a skill is what its folder holds now, however soon it was changed', () => {
  const { see, write } = folders()
  for (const body of ['One.', 'Two.', 'One.']) {
    write('nightly', text('nightly', body))
    expect(see('nightly')).toMatchObject({ parsed: { body: expect.stringContaining(body) }, faults: [] })
  }
})

test('the same text under another name has the faults of that name', () => {
  const [one, other] = [folders(), folders()]
  one.write('nightly', text('nightly', 'Look.'))
  other.write('weekly', text('nightly', 'Look.'))
  expect(one.see('nightly').faults).toEqual([])
  expect(other.see('weekly').faults).toMatchObject([{ path: 'SKILL.md' }])
})
