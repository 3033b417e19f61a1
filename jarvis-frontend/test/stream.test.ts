import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { answerOf } from '../../jarvis-backend/bench/ui/answer.ts'
import { seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { atNight } from '../../scripts/property-runs.ts'
import { assistant, call, entriesOf, ran, text, usage, user } from './scenery/entries.ts'
import type { Scene, ScriptSession } from './scenery/scene.ts'
import { morning } from './scenery/scenes/morning.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const done = { type: 'done' as const, usage, stopReason: 'end_turn' as const }
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const sceneOf = (session: Partial<ScriptSession>, more: Partial<Scene> = {}): Scene => ({
  ...morning(Date.now()),
  sessions: [{ id: 'ses_one', title: 'One', updatedAt: Date.now(), entries: [], ...session }],
  ...more,
})

/** Asks of the page for another host, and markup that ran. */
function watch(own: string) {
  const strays: string[] = []
  const before = (page: Page) => {
    page.on('request', (request) => {
      if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url())) strays.push(request.url())
    })
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) strays.push(message.text())
    })
    page.on('pageerror', (error) => strays.push(error.message))
  }
  return { strays, before }
}

const hostileAnswer = `<img src="https://evil.example/a.png" onerror="hit=1"> <script>hit=1</script> <b>bold</b>

![pixel](https://evil.example/p.png) [approve](javascript:hit=1) [data](data:text/html,hit) [site](https://evil.example/a)
[https://bank.example](https://evil.example/b) [https://bank.example/evil.example](https://evil.example/c)
<https://bank.example@evil.example/d> <https://evil.example/e> \u202Egpj.exe <style>*{display:none}</style>

\`\`\`html
<script>hit=1</script><img src="https://evil.example/c.png">
\`\`\`

\`\`\`"><img/src=x/onerror=hit=1>
plain
\`\`\`

\`\`\`mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/d.png) }"}}%%
flowchart LR
  A["<img src='https://evil.example/e.png' onerror='hit=1'><script>hit=1</script>"] --> B["<a href='javascript:hit=1'>Approve</a>"]
  A --> C["#lt;iframe src='https://evil.example/f'#gt;"]
  click A href "javascript:hit=1"
  style A fill:url(https://evil.example/g.svg),position:fixed
  classDef default background:url(https://evil.example/h.png)
\`\`\`

\`\`\`mermaid
flowchart LR
  X@{ img: "https://evil.example/i.png", label: "x" } --> Y
\`\`\`

\`\`\`mermaid
no diagram <b>at all</b>
\`\`\`
`

test('an answer, a log line and a picture that would be markup, a link or a request stay what they are', async () => {
  const name = '<img src=x onerror="hit=1"> [x](javascript:hit=1)\u202egpj'
  const log = '<b>up</b> \u001b[31m<script>hit=1</script> javascript:hit=1'
  const scene = morning(Date.now())
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="hit=1"><script>hit=1</script></svg>')
  const entries = entriesOf(
    [
      user('<b>me</b> <script>hit=1</script>'),
      assistant({ type: 'thinking', text: '<b>thought</b>' }, call('t1', 'odd__camera', { at: name })),
      { type: 'tool_use', toolUseId: 't1', toolName: 'odd__camera', toolInput: { at: name }, tier: 'green' },
      {
        type: 'tool_result',
        toolUseId: 't1',
        result: log,
        isError: false,
        summary: log,
        durationMs: 5,
        images: [
          { id: 'good', mimeType: 'image/png', bytes: png.length },
          { id: 'bad', mimeType: 'image/png', bytes: svg.length },
        ],
      },
      assistant(text(hostileAnswer)),
      done,
    ],
    Date.now(),
  )
  const server = await stage.play({
    ...sceneOf({ title: name, entries }, { pictures: { good: ['image/png', png], bad: ['image/svg+xml', svg] } }),
    cluster: {
      ...scene.cluster,
      guests: scene.cluster.guests.map((guest) => (guest.vmid === 123 ? { ...guest, name } : guest)),
    },
  })
  const { strays, before } = watch(server.url)
  const page = await stage.open(server, '/chat/ses_one', { height: 3_000, before })
  await page.locator('.drawing img').nth(1).waitFor()
  await page.getByText('This diagram cannot be drawn').waitFor()
  await page.getByText('The picture is not shown').waitFor()
  await page.locator('.code-keyword, .code-name').first().waitFor()
  await page.locator('.row').first().click()
  await page.getByRole('button', { name: /Thought/ }).click()

  const stream = page.getByRole('log')
  expect(await stream.locator('script, style, iframe, svg a, b:not([class]), object, form').count()).toBe(0)
  // Pictures are our own `data:` addresses: two diagrams and what the tool gave.
  const sources = await stream.locator('img').evaluateAll((images) => images.map((image) => image.getAttribute('src')))
  expect(sources.map((source) => source?.slice(0, 14))).toEqual(['data:image/png', 'data:image/svg', 'data:image/svg'])
  for (const source of sources) {
    expect(decodeURIComponent(source ?? '')).not.toMatch(
      /<script|<foreignObject|<image|href="(?!#)|<[^>]*\son\w+=|url\("?http/,
    )
  }
  // A link says where it leads, and nothing but the web is one.
  const links = await stream
    .locator('.prose a')
    .evaluateAll((all) => all.map((a) => [a.textContent, a.getAttribute('href')]))
  expect(links).toEqual([
    ['site (evil.example)', 'https://evil.example/a'],
    ['https://bank.example (evil.example)', 'https://evil.example/b'],
    ['https://bank.example/evil.example (evil.example)', 'https://evil.example/c'],
    ['https://bank.example@evil.example/d (evil.example)', 'https://bank.example@evil.example/d'],
    ['https://evil.example/e', 'https://evil.example/e'],
  ])
  expect(await stream.innerText()).toContain('approve (javascript:hit=1)')
  expect(await stream.innerText()).toContain('U+202E')
  expect(await page.evaluate('globalThis.hit')).toBeUndefined()
  expect(strays).toEqual([])
  expect(await seriousFindings(page)).toEqual([])
  expect(await stream.locator('.picture img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1)
  await page.getByRole('button', { name: 'Show its text' }).first().click()
  await page.getByText('themeCSS').waitFor()
})

test('an answer that streams keeps what it has drawn, and becomes its entry without being drawn anew', async () => {
  const server = await stage.play(sceneOf({ runId: 'run_1', entries: entriesOf([user('Go.')], Date.now()) }))
  const page = await stage.open(server, '/chat/ses_one')
  await page.getByText('Go.').waitFor()
  const tell = (words: string) => server.tell('ses_one', 'chat:token', { text: words })
  const parts = [
    'First.\n\n- one\n- two',
    '\n- three\n\n```bash\nfor x in 1; do',
    ' echo $x; done\n```\n\n',
    'Last *word*.',
  ]
  tell(parts[0] ?? '')
  await page.locator('.prose li').nth(1).waitFor()
  // A mark on each piece: what is drawn anew loses it.
  const mark = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.setAttribute('id', `kept-${element.tagName}`))
  await mark('.prose p')
  await mark('.prose li')
  tell(parts[1] ?? '')
  await page.locator('.prose pre').waitFor()
  expect(await page.locator('.prose .code-keyword').count()).toBe(0)
  await mark('.prose pre')
  tell(parts[2] ?? '')
  await page.locator('.prose .code-keyword').first().waitFor()
  tell(parts[3] ?? '')
  await page.getByText('Last word.').waitFor()
  server.append('ses_one', assistant(text(parts.join(''))) as never)
  server.append('ses_one', done)
  await page.locator('.usage').waitFor()
  expect(await page.locator('#kept-P, #kept-LI, #kept-PRE').count()).toBe(3)
  expect(await page.locator('.prose pre').innerText()).toBe('for x in 1; do echo $x; done')
})

test('code is coloured to its end, however long its grammar takes to load and a line to be read', async () => {
  const code = '```bash\nfor x in 1; do echo $x; done\n```'
  const entries = entriesOf([user('Go.'), assistant(text(code)), done], Date.now())
  const server = await stage.play(sceneOf({ entries }))
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // In the thread that reads code, half a second passes at each look at the clock.
  const slow = 'const now = Date.now, from = now(); let looks = 0; Date.now = () => from + 500 * looks++;'
  let asked: Promise<unknown> | undefined
  const before = async (page: Page) => {
    await page.route(/highlight-worker/, async (route) => {
      const answer = await route.fetch()
      await held
      await route.fulfill({ response: answer, body: slow + (await answer.text()) })
    })
    asked = page.waitForRequest(/highlight-worker/)
    await page.clock.install()
  }
  const page = await stage.open(server, '/chat/ses_one', { own: {}, before })
  await asked
  await page.clock.fastForward(11_000)
  release()
  await page.locator('.code-keyword', { hasText: /^done$/ }).waitFor()
})

test('math, task lists and footnotes are drawn, without links, colours or what is no math', async () => {
  const words = [
    'It costs $5 and $6, or $HOME; $A/$(date) too. It takes ~40 min~1 h, ~~not~~ less. Power is $$P = U \\cdot I$$[^1] and \\(x_1\\), not `$a$`.',
    '$$\n\\frac{388}{400} \\color{red}{= 0.97}\n$$',
    '- [x] look\n- [ ] restart\n\n1. [ ] wait',
    '$$\\href{javascript:hit=1}{x}$$ and $$\\frac{$$',
    '[^1]: Measured at the *plug*.',
  ]
  const entries = entriesOf([user('Go.'), assistant(text(words.join('\n\n'))), done], Date.now())
  const server = await stage.play(sceneOf({ entries }))
  const { strays, before } = watch(server.url)
  const page = await stage.open(server, '/chat/ses_one', { before })
  const prose = page.locator('.prose')
  await prose.locator('.math.display math').waitFor()
  await expect.poll(() => prose.locator('.math:not([hidden]) math').count()).toBeGreaterThanOrEqual(3)
  expect(await prose.innerText()).toContain(
    'It costs $5 and $6, or $HOME; $A/$(date) too. It takes ~40 min~1 h, not less.',
  )
  expect(await prose.locator('del').allInnerTexts()).toEqual(['not'])
  expect(await prose.locator('code').first().innerText()).toBe('$a$')
  expect(await prose.locator('a, [href]').count()).toBe(0)
  expect(await prose.innerText()).toContain('$$\\frac{$$')
  const colours = await prose
    .locator('.math.display *')
    .evaluateAll((all) => new Set(all.map((element) => getComputedStyle(element).color)).size)
  expect(colours).toBe(1)
  expect(
    await page.getByRole('checkbox').evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked)),
  ).toEqual([true, false, false])
  expect(await page.getByRole('checkbox', { disabled: true }).count()).toBe(3)
  // The box is the mark: no dash is drawn over it, and a number stays.
  const marks = await prose
    .locator('.task')
    .evaluateAll((all) =>
      all.map((item) => [getComputedStyle(item, '::before').content, getComputedStyle(item).listStyleType]),
    )
  expect(marks).toEqual([
    ['none', 'none'],
    ['none', 'none'],
    ['none', 'decimal'],
  ])
  await page.getByRole('button', { name: 'Footnote 1' }).click()
  expect(await page.locator(':focus').innerText()).toBe('1 Measured at the plug.')
  expect(strays).toEqual([])
  expect(await seriousFindings(page)).toEqual([])
})

atNight(test)(
  'an answer takes no more memory the longer it gets, and is there to be read, found and copied',
  async () => {
    const server = await stage.play(sceneOf({ runId: 'run_1', entries: entriesOf([user('Go.')], Date.now()) }))
    const page = await stage.open(server, '/chat/ses_one', { own: {} })
    await page.getByText('Go.').waitFor()
    const cdp = await page.context().newCDPSession(page)
    const heapMb = async () => {
      await cdp.send('HeapProfiler.collectGarbage')
      await cdp.send('HeapProfiler.collectGarbage')
      return (await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6
    }
    const answer = answerOf(48_000)
    const grownMb: number[] = []
    for (const half of [answer.slice(0, 24_000), answer.slice(24_000, 48_000)]) {
      const before = await heapMb()
      // As a busy page gets it: many tokens a frame.
      for (const [piece] of half.matchAll(/[\s\S]{1,320}/g)) {
        server.tell('ses_one', 'chat:token', { text: piece })
        await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)))
      }
      grownMb.push((await heapMb()) - before)
    }
    const [first = 0, second = 0] = grownMb
    expect(second / first).toBeLessThan(0.3)

    // Far from the screen there is text alone, the same that was there.
    const prose = page.locator('.prose')
    const parked = prose.locator('.parked')
    expect(await parked.count()).toBeGreaterThan(40)
    expect(await prose.locator('*').count()).toBeLessThan(2_000)
    const widths = await prose
      .locator('.whole:not(:first-child)')
      .evaluateAll((all) => all.map((box) => box.clientWidth))
    expect(new Set(widths).size).toBe(1)
    const copied = await prose.evaluate(async (element) => {
      getSelection()?.selectAllChildren(element)
      // Selected text counts as seen from the next frame on.
      for (let at = 0; at < 2; at++) await new Promise((next) => requestAnimationFrame(next))
      const text = getSelection()?.toString() ?? ''
      getSelection()?.empty()
      return text
    })
    const looks = [...copied.matchAll(/^Look (\d+)/gm)].map(([, at]) => Number(at))
    expect(looks).toEqual(Array.from({ length: looks.length }, (_, at) => at + 1))
    expect(looks.length).toBeGreaterThan(60)
    expect(copied).toContain('pve\t97 %\t5.4 GiB')

    // The reader goes up: all that comes is drawn before it is seen, and what was read moves by the step alone.
    const stream = page.getByRole('log')
    const moved = await stream.evaluate(async (element) => {
      const frame = () => new Promise((next) => requestAnimationFrame(next))
      const { top, bottom } = element.getBoundingClientRect()
      const isSeen = (part: Element) => {
        const box = part.getBoundingClientRect()
        return box.bottom > top && box.top < bottom
      }
      const wrong: unknown[] = []
      for (let step = 0; step < 60; step++) {
        const part = [...element.querySelectorAll('.heading')].find(isSeen)
        const before = part?.getBoundingClientRect().top ?? 0
        element.scrollTop -= 300
        await frame()
        await frame()
        const px = (part?.getBoundingClientRect().top ?? 0) - before - 300
        const isRaw = [...element.querySelectorAll('.parked')].some(isSeen)
        if (part === undefined || Math.abs(px) > 2 || isRaw) wrong.push({ step, px, isRaw })
      }
      return wrong
    })
    expect(moved).toEqual([])

    // Ctrl F finds what is not drawn.
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('look 7')
    await expect
      .poll(() =>
        stream.evaluate((element) => {
          const [range] = (CSS.highlights.get('found-here') ?? []) as Iterable<Range>
          const box = range?.getBoundingClientRect()
          const { top, bottom } = element.getBoundingClientRect()
          return box !== undefined && box.height > 0 && box.top > top && box.bottom < bottom && range?.toString()
        }),
      )
      .toBe('Look 7')
  },
)

test('a long session is drawn in part, keeps what is read in its place, and can be searched', async () => {
  const runs = 300
  const words = (run: number) => `Answer ${run}. ${'Many words. '.repeat(1 + ((run * 37) % 60))}`
  const entries = entriesOf(
    Array.from({ length: runs }, (_, run) => [
      { ...user(`Question ${run}`), runId: `run_${run}` },
      { ...assistant(text(words(run))), runId: `run_${run}` },
      ...ran(call(`t${run}`, 'get_vms'), 'green', {
        summary: '19 guests',
        durationMs: 12,
        result: `line\n`.repeat(212),
      }).map((entry) => ({ ...entry, runId: `run_${run}` })),
      { ...done, runId: `run_${run}` },
    ]).flat(),
    Date.now() - 5_000_000,
  )
  const unread = entries.findIndex(({ runId }) => runId === 'run_100')
  const server = await stage.play(sceneOf({ entries: entries.slice(unread), earlier: entries.slice(0, unread) }))
  const page = await stage.open(server, '/chat/ses_one')
  const stream = page.getByRole('log')
  await page.getByText(`Question ${runs - 1}`).waitFor()
  expect(await stream.locator('[data-row]').count()).toBeLessThan(40)

  // The reader goes up in steps: what is on screen moves by the step and no more, while rows above are measured.
  const moved = await stream.evaluate(async (element) => {
    const frame = () => new Promise((next) => requestAnimationFrame(next))
    const seen = () => {
      const top = element.getBoundingClientRect().top
      return [...element.querySelectorAll('.user')].find((row) => row.getBoundingClientRect().top > top + 300)
    }
    const jumps: number[] = []
    for (let step = 0; step < 60; step++) {
      const row = seen()
      const before = row?.getBoundingClientRect().top ?? 0
      element.scrollTop -= 150
      await frame()
      await frame()
      if (row?.isConnected) jumps.push(Math.abs(row.getBoundingClientRect().top - before - 150))
    }
    return { worst: Math.max(...jumps), count: jumps.length }
  })
  expect(moved.count).toBeGreaterThan(40)
  expect(moved.worst).toBeLessThan(3)
  expect(await stream.locator('[data-row]').count()).toBeLessThan(60)

  // A block that the reader opened stays open after the reader scrolls away and back.
  const opened = await stream.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    const isSeen = ({ y }: DOMRect) => y > top + 40 && y < bottom - 80
    const rows = [...element.querySelectorAll('.row')].filter((row) => isSeen(row.getBoundingClientRect()))
    return rows[0]?.closest('[data-row]')?.getAttribute('data-row')
  })
  const row = stream.locator(`[data-row="${opened}"] .row`)
  await row.click()
  await page.getByRole('button', { name: 'Show all 213 lines' }).waitFor()
  await stream.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await page.getByText(`Question ${runs - 1}`).waitFor()
  expect(await stream.locator(`[data-row="${opened}"] .io`).count()).toBe(1)

  // The browser's own search sees only what is drawn: ours sees all of it, and reads what was not read yet.
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('question 17')
  await page.getByText('Question 170', { exact: true }).waitFor()
  await page.getByText('2 of 11').waitFor()
  await page.keyboard.press('Shift+Enter')
  await page.getByText('1 of 11').waitFor()
  await page.getByText('Question 17', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('2 of 11').waitFor()
  await page.getByText('Question 170', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('searchbox', { name: 'Find in this session' }).count()).toBe(0)
})

test('Ctrl F marks every hit, also over bold letters, steps through all of them, and opens the folded call that has one', async () => {
  const look = call('t1', 'get_disks', { node: 'pve' })
  const run = (runId: string, ...list: Parameters<typeof entriesOf>[0]) => list.map((entry) => ({ ...entry, runId }))
  const all = entriesOf(
    [
      ...run('run_0', user('Hello.'), assistant(text('Good evening.')), done),
      ...run('run_1', user('Is the DISK full?'), assistant(text('I look.'), look)),
      ...run('run_1', ...ran(look, 'green', { summary: 'looked', durationMs: 5, result: 'sda: the disk is worn' })),
      ...run('run_1', assistant(text('The **di**sk is full. One more disk is worn.')), done),
    ],
    Date.now() - 60_000,
  )
  const server = await stage.play(sceneOf({ entries: all.slice(3), earlier: all.slice(0, 3) }))
  const page = await stage.open(server, '/chat/ses_one')
  await page.getByText('One more').waitFor()
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('disk')
  const marked = () =>
    page.evaluate(() => {
      const texts = (name: string) => [...((CSS.highlights.get(name) ?? []) as Iterable<Range>)]
      const [here] = texts('found-here')
      return {
        all: texts('found').map((range) => range.toString()),
        here: here?.startContainer.parentElement?.closest('p, pre, button')?.textContent,
      }
    })
  // The name of the tool counts too: 'get_disks'.
  await page.getByText('1 of 5').waitFor()
  await expect.poll(marked).toEqual({ all: ['DISK', 'disk', 'disk', 'disk'], here: 'Is the DISK full?' })
  const seen = new Set<string | null | undefined>()
  for (const step of ['2', '3', '4', '5']) {
    await page.keyboard.press('Enter')
    await page.getByText(`${step} of 5`).waitFor()
    await expect.poll(async () => (await marked()).here).toBeTruthy()
    seen.add((await marked()).here)
  }
  expect(seen).toContain('The disk is full. One more disk is worn.')
  await page.getByText('sda: the disk is worn').waitFor()
  await expect.poll(async () => (await marked()).all.length).toBeGreaterThanOrEqual(5)
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await marked()).all).toEqual([])
})

test('what is typed is completed by keyboard alone, and short commands do what they say', async () => {
  const tools = [
    {
      name: 'restart_vm',
      description: 'Reboot one virtual machine.',
      tier: 'red' as const,
      inputSchema: { properties: { vmid: { type: 'integer' }, force: { type: 'boolean' } }, required: ['vmid'] },
    },
    { name: 'get_cluster_status', description: 'All of it.', tier: 'green' as const, inputSchema: {} },
  ]
  const server = await stage.play(sceneOf({}, { tools: [...tools] }))
  const page = await stage.open(server, '/chat/ses_one')
  const field = page.getByRole('textbox', { name: 'Message' })
  const options = page.getByRole('option')
  await field.pressSequentially('/')
  await options.filter({ hasText: '/status' }).filter({ hasText: 'Read' }).waitFor()
  await field.pressSequentially('restart')
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('/restart_vm vmid=')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  const active = (await field.getAttribute('aria-activedescendant')) ?? ''
  const label = await page.locator(`[id="${active}"] .mono`).innerText()
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe(`/restart_vm vmid=${label.split(' ')[0]} `)
  await field.fill('what of @frig')
  await page.keyboard.press('Tab')
  expect(await field.inputValue()).toBe('what of 123 frigate ')
  await field.fill('what of @frig now')
  for (const _ of ' now') await page.keyboard.press('ArrowLeft')
  await options.filter({ hasText: 'frigate' }).waitFor()
  // The caret stands behind it before another key can come.
  expect(
    await field.evaluate((element: HTMLTextAreaElement) => {
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true, cancelable: true }))
      return element.value.slice(0, element.selectionStart)
    }),
  ).toBe('what of 123 frigate ')
  expect(await field.inputValue()).toBe('what of 123 frigate now')
  await page.keyboard.press('Control+z')
  expect(await field.inputValue()).toBe('what of @frig now')
  await field.fill('/status')
  await page.keyboard.press('Enter')
  await page.locator('.user').getByText('/get_cluster_status').waitFor()
  await field.fill('/ssh pve')
  await page.keyboard.press('Enter')
  await page.getByText('/ssh needs a command').waitFor()
  expect(await field.inputValue()).toBe('/ssh pve')
  await field.fill('/help')
  await page.keyboard.press('Enter')
  const help = page.getByRole('dialog')
  await help.getByText('/ssh node command').waitFor()
  // The late `close` event of a dialog does not close the dialog at its new place.
  await help.evaluate(async (dialog: HTMLDialogElement) => {
    const told = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
    dialog.close()
    dialog.showModal()
    await told
  })
  await page.keyboard.press('Shift+Tab')
  expect(await help.count()).toBe(1)
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await field.fill('/new')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/`)
  expect(server.sent.map(({ message }) => message)).toEqual(['/get_cluster_status'])
})

test('how an answer ended is said where it is not seen', async () => {
  const ends = ['end_turn', 'refusal', 'max_tokens'] as const
  const entries = entriesOf(
    ends.flatMap((stopReason, run) =>
      [user('Well?'), assistant(...(run === 0 ? [] : [text('So')])), { ...done, stopReason }].map((entry) => ({
        ...entry,
        runId: `run_${run}`,
      })),
    ),
    Date.now(),
  )
  const page = await stage.open(await stage.play(sceneOf({ entries })), '/chat/ses_one')
  await page.getByText('declined to answer').waitFor()
  // The rows above are drawn one by one, once nothing else is to be done.
  await expect
    .poll(() => page.locator('.ending').allTextContents())
    .toEqual([
      'The model answered with nothing.',
      'The model declined to answer.',
      'Cut here: the answer reached its length limit. Ask it to go on.',
    ])
})
