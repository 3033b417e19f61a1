import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { seriousFindings } from './support/axe.ts'
import { dashboardDir, test, useBrowser } from './support/browser.ts'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()

test('the files of a conversation are listed with their calls, opened and downloaded, on a phone too', async () => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), 'workbench: {roots: []}\n')
  const content = '# Disks\n<script>alert(1)</script>\n'
  const model = scripted(calls(['write_file', { path: 'session/disks.html', content }]), says('Written.'))
  const jarvis = await startJarvis({ dashboardDir, dataDir, model, env: { JARVIS_EMBEDDINGS: 'none' } })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Write a report.' })
  await screen.next('chat:done')
  const page = await operator(jarvis)
  await page.goto(`${jarvis.url}/chat/${sessionId}`)
  await page.getByRole('button', { name: '1 file', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Files' })
  const row = dialog.getByRole('listitem')
  await dialog.getByRole('link', { name: 'write_file' }).waitFor()
  expect(await row.textContent()).toMatch(/^disks\.html34 B, .+, by write_file/)
  await dialog.getByRole('button', { name: 'Open disks.html' }).click()
  expect(await dialog.locator('pre').textContent()).toBe(content)
  expect(await seriousFindings(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: '1 file', exact: true }).click()
  await dialog.getByRole('button', { name: 'Open disks.html' }).click()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download disks.html' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe('disks.html')
  expect(readFileSync(await saved.path(), 'utf8')).toBe(content)
  await dialog.getByRole('link', { name: 'write_file' }).click()
  await page.waitForURL(/\/chat\/ses_\w+\?at=\d+$/)
  await dialog.waitFor({ state: 'detached' })
})
