import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, type test as plainTest } from 'vitest'
import { findChromium } from '../../scripts/chromium.js'
import { testWith } from '../../scripts/test-with.js'
import { newId } from '../src/lib/ids.ts'
import { folder } from './support/data-dir.ts'
import { serveSite } from './support/pages.ts'
import { calls, says, scripted, someUsage } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const test = (findChromium() === undefined ? testWith('Chromium') : testWith('bubblewrap')) as typeof plainTest

const form = `<title>Form</title><h1>Form</h1>
  <select aria-label="Size" onchange="said.textContent = 'Size is ' + this.value"><option>Small<option>Large</select>
  <input aria-label="Name" onkeydown="said.textContent = 'Key was ' + event.key">
  <button onmouseenter="said.textContent = 'Menu is open'">Menu</button>
  <input type="file" aria-label="Photo" onchange="fetch('/sent', { method: 'POST', body: this.files[0] })">
  <button onclick="said.textContent = 'Answer is ' + prompt('Which disk?')">Ask</button>
  <a href="/huge">Huge file</a> <p id="said"></p>
  <script>setTimeout(() => { said.textContent = 'It is ready' }, 1500)</script>`

/** More than a browser may keep, of a length that nobody is told. */
const hugeBytes = 60 * 1024 ** 2
const piece = Buffer.alloc(1024 ** 2)
function hands(reply: ServerResponse, left = hugeBytes): void {
  if (left <= 0 || reply.destroyed) return void reply.end()
  if (reply.write(piece)) setImmediate(hands, reply, left - piece.length)
  else reply.once('drain', () => hands(reply, left - piece.length))
}

type Turn = Parameters<typeof scripted>[number]

/** A call about the element whose line was shown last with these words. */
const about =
  (toolName: string, words: string, more: Record<string, unknown> = {}): Turn =>
  async ({ messages }) => {
    const shown = messages.flatMap((message) =>
      message.role === 'user' ? message.results.flatMap(({ text }) => text.split('\n')) : [],
    )
    const ref = /\[(\d+\.\d+)\]/.exec(shown.findLast((line) => line.includes(words) && /\[\d+\.\d+\]/.test(line)) ?? '')
    if (ref === null) throw new Error(`No line has ${words}:\n${shown.join('\n')}`)
    const call = { type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput: { ref: ref[1] ?? '', ...more } }
    return { content: [call as never], stopReason: 'tool_use', usage: someUsage }
  }

/** `asks`: what its card says; absent: it runs without one. `says`: what its result is like. */
type Row = { tier: 'green' | 'yellow' | 'red'; turn: Turn; asks?: RegExp; says: RegExp; fails?: true }

test('every tool of the browser has its effect through the gate: reads and bounded acts run, what a site may act on asks', async () => {
  const sent: string[] = []
  function answer(asked: IncomingMessage, reply: ServerResponse) {
    if (asked.url === '/huge') {
      reply.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename=a.zip' })
      return hands(reply)
    }
    let body = ''
    asked.on('data', (chunk) => {
      body += chunk
    })
    asked.on('end', () => {
      if (asked.url === '/sent') sent.push(body)
      reply.writeHead(200, { 'content-type': 'text/html' }).end(asked.url === '/second' ? '<h1>Second</h1>' : form)
    })
  }
  const site = await serveSite(answer)
  const rows: Row[] = [
    { tier: 'yellow', turn: calls(['open_page', { url: `${site.url}/` }]), says: /heading "Form"/ },
    { tier: 'green', turn: calls(['wait_for_page', { text: 'It is ready', seconds: 10 }]), says: /The text is there/ },
    { tier: 'green', turn: calls(['wait_for_page', { text: 'Form', isGone: true, seconds: 1 }]), says: /is not gone/ },
    { tier: 'yellow', turn: about('select_option', 'combobox "Size"', { position: 2 }), says: /Size is Large/ },
    {
      tier: 'yellow',
      turn: about('select_option', 'combobox "Size"', { position: 9 }),
      says: /has 2 options/,
      fails: true,
    },
    { tier: 'yellow', turn: about('hover_element', 'button "Menu"'), says: /Menu is open/ },
    { tier: 'yellow', turn: about('press_keys', 'textbox "Name"', { keys: ['ArrowDown'] }), says: /Key was ArrowDown/ },
    {
      tier: 'red',
      turn: about('press_keys', 'textbox "Name"', { keys: ['Enter'] }),
      asks: /^The keys Enter are pressed on the textbox "Name" on site\.test\./,
      says: /Key was Enter/,
    },
    { tier: 'green', turn: calls(['get_page_text', {}]), says: /Key was Enter/ },
    {
      tier: 'red',
      turn: about('upload_files', 'button "Photo"', { paths: ['session/pictures/cat.png'] }),
      asks: /^"session\/pictures\/cat\.png" goes to the button "Photo" on site\.test\./,
      says: /Page http/,
    },
    {
      tier: 'red',
      turn: about('click_element', 'button "Ask"'),
      asks: /^The button "Ask" on site\.test is clicked\./,
      says: /dialog \(prompt\): "Which disk\?"\. It was dismissed[\s\S]*Answer is null/,
    },
    {
      tier: 'red',
      turn: calls(['accept_dialog', { tab: 1, text: 'sda' }]),
      asks: /^The next dialog \(prompt\) of site\.test that says "Which disk\?" is accepted\./,
      says: /is accepted/,
    },
    {
      tier: 'red',
      turn: about('click_element', 'button "Ask"'),
      asks: /^The button "Ask"/,
      says: /It was accepted, as was approved[\s\S]*Answer is sda/,
    },
    {
      tier: 'yellow',
      turn: about('click_element', 'link "Huge file"'),
      says: /It was refused: it is larger than 50 MB/,
    },
    {
      tier: 'yellow',
      turn: calls(['open_page', { url: `${site.url}/second`, isNewTab: true }]),
      says: /heading "Second"/,
    },
    { tier: 'green', turn: calls(['switch_tab', { tab: 1 }]), says: /Tab 1, shown: http[\s\S]*Tab 2: http/ },
    { tier: 'green', turn: calls(['switch_tab', { tab: 2, close: true }]), says: /^Tab 1, shown: [^\n]*$/ },
    { tier: 'yellow', turn: calls(['open_page', { url: `${site.url}/second` }]), says: /heading "Second"/ },
    { tier: 'yellow', turn: calls(['go_back', { tab: 1 }]), says: /heading "Form"/ },
  ]
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), 'workbench:\n  browser: true\n')
  const leadsOut = about('upload_files', 'button "Photo"', { paths: ['session/../jarvis.db'] })
  const model = scripted(says('Ready.'), ...rows.flatMap(({ turn }) => [turn, says('Next.')]), leadsOut, says('No.'))
  const jarvis = await startJarvis({ model, dataDir, browser: { reaching: site.reaching } })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Are you there?' })
  await operator.next('chat:done')
  const own = join(dataDir, 'workbench', sessionId)
  mkdirSync(join(own, 'pictures'), { recursive: true })
  writeFileSync(join(own, 'pictures/cat.png'), 'a picture')
  let asked = 0
  for (const { tier, asks, says: like, fails } of rows) {
    await operator.ask('chat:send', { sessionId, message: `Go on with ${site.url}/ and ${site.url}/second.` })
    if (asks !== undefined) {
      const card = await operator.next('chat:confirm_needed')
      expect(card).toMatchObject({ tier: 'red', sentence: expect.stringMatching(asks) as string })
      expect(sent.length, String(asks)).toBe(asked > 1 ? 1 : 0)
      asked += 1
      await operator.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    }
    const told = await operator.next('chat:tool_result')
    expect(told.result).toMatch(like)
    expect(told.isError, told.result).toBe(fails === true)
    await operator.next('chat:done')
    expect(operator.received.findLast(({ event }) => event === 'chat:tool_use')?.payload.tier, told.result).toBe(tier)
  }
  await operator.ask('chat:send', { sessionId, message: `Go on with ${site.url}/.` })
  expect((await operator.next('chat:blocked')).reason).toContain('outside the roots')
  await operator.next('chat:done')
  expect(operator.names().filter((name) => name === 'chat:confirm_needed')).toHaveLength(asked)
  expect(sent).toEqual(['a picture'])
  expect(readdirSync(own)).toEqual(['pictures'])
})
