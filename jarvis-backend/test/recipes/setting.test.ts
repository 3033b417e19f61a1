import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exampleOf, withSettings } from '../../../scripts/settings-reference.ts'
import type { readConfig as ReadConfig } from '../../src/config/config.ts'
import type { settingLeaves as SettingLeaves } from '../../src/config/secret-leaves.ts'
import type { Settings } from '../../src/config/setting.ts'
import { besideTest, followRecipe, recipeOf } from '../support/follow-recipe.ts'
import type { noteSettings as NoteSettings } from './notes-settings.ts'

const heading = 'A setting'

test('the recipe shows the file beside this test', () => {
  expect(recipeOf(heading).file).toBe(besideTest('notes-settings.ts', { '../../src/config/': './' }))
})

test('a setting that follows the recipe is read, redacted, sealed, documented and lent to nobody', async () => {
  const { readConfig, settings, settingLeaves, noteSettings } = await followRecipe<{
    readConfig: typeof ReadConfig
    settings: Settings
    settingLeaves: typeof SettingLeaves
    noteSettings: typeof NoteSettings
  }>(
    heading,
    { path: 'src/config/settings.ts', after: 'export const settingGroups = [\n' },
    `export { readConfig } from './config/config.ts'
     export { settings } from './config/settings.ts'
     export { settingLeaves } from './config/secret-leaves.ts'
     export { noteSettings } from './config/notes.ts'`,
  )
  const key = 'a-key-of-the-notes'
  const config = readConfig({ JARVIS_NOTES_KEY: key, OTHER: 'x' })
  expect(config.value(noteSettings.JARVIS_NOTES_KEY)).toBe(key)
  expect(readConfig({}).value(noteSettings.JARVIS_NOTES_KEY)).toBeUndefined()
  expect(config.secrets).toContain(key)
  expect(config.variables).toEqual({ OTHER: 'x' })
  expect(() => readConfig({ JARVIS_NOTES_KEY: 'short' })).toThrow('JARVIS_NOTES_KEY must be a key of the notes')
  expect(settingLeaves({ JARVIS_NOTES_KEY: key }).map(({ text }) => text)).toEqual([key])
  expect(exampleOf(settings.list())).toContain('\n#JARVIS_NOTES_KEY=\n')
  const page = readFileSync(new URL('../../../docs/configure.md', import.meta.url), 'utf8')
  expect(withSettings(page, settings.list())).toContain(
    '| `JARVIS_NOTES_KEY` | none | the key of the server that keeps notes about nodes |',
  )
}, 120_000)
