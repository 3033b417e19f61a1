import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exampleOf, withSettings } from '../../scripts/settings-reference.ts'
import { groups } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands.ts'
import { referenceText } from '../src/cli/help.ts'
import { settings } from '../src/config/settings.ts'

const pathOf = (name: string) => join(import.meta.dirname, '../..', name)
const textOf = (name: string) => readFileSync(pathOf(name), 'utf8')

/** `npm run reference` writes these files. */
describe('what registries say is written', () => {
  test('settings: the tables of docs/configure.md', async () => {
    const page = withSettings(textOf('docs/configure.md'), settings.list())
    await expect(page).toMatchFileSnapshot(pathOf('docs/configure.md'))
  })
  test('settings: .env.example', async () => {
    await expect(exampleOf(settings.list())).toMatchFileSnapshot(pathOf('.env.example'))
  })
  test('commands: docs/command-line.md below its introduction', async () => {
    const page = textOf('docs/command-line.md')
    const introduction = page.slice(0, page.indexOf(`## ${groups[0]}`))
    await expect(introduction + referenceText(commands)).toMatchFileSnapshot(pathOf('docs/command-line.md'))
  })
})
