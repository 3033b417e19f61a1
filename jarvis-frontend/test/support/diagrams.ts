import { expect } from 'vitest'
import { assistant, entriesOf, text, user } from '../scenery/entries.ts'
import { morning } from '../scenery/scenes/morning.ts'
import type { Stage } from './browser.ts'

/** One of each kind, with what each writes as markup: styles, icons, line breaks, entities, labels of many words. */
export const diagrams = [
  'flowchart LR\n  A["one<br>two"] -->|"yes & no"| B{{"`**bold** words`"}} --> C[(disk)]\n  subgraph rack\n    C\n  end',
  'sequenceDiagram\n  actor You\n  participant J as JARVIS\n  You->>J: Stop 123?\n  Note over J: asks<br>first\n  J-->>You: A card',
  'classDiagram\n  class Node {\n    +String name\n    +stop() void\n  }\n  Node <|-- Guest : runs',
  'stateDiagram-v2\n  [*] --> running\n  running --> stopped : shut down\n  stopped --> [*]',
  'erDiagram\n  NODE ||--o{ GUEST : runs\n  NODE {\n    string name PK "the name"\n  }',
  'gantt\n  title Backups\n  dateFormat YYYY-MM-DD\n  section pve\n  CT 105 :done, a, 2026-01-01, 2d\n  CT 106 :after a, 3d',
  'pie showData\n  title Memory\n  "used" : 60\n  "free" : 40',
  'journey\n  title A night\n  section Backup\n    Starts: 5: pbs\n    Ends: 2: pbs, pve',
  'gitGraph\n  commit id: "a"\n  branch b\n  commit id: "c" tag: "v1"\n  checkout main\n  merge b',
  'mindmap\n  root((cluster))\n    pve\n      CT 105\n    node2',
  'timeline\n  title Reboots\n  2025 : pve : node2\n  2026 : node3',
  'quadrantChart\n  title Guests\n  x-axis Small --> Large\n  y-axis Idle --> Busy\n  immich: [0.7, 0.8]',
  'xychart-beta\n  title "Load"\n  x-axis [a, b, c]\n  y-axis "cores" 0 --> 10\n  bar [3, 6, 9]\n  line [2, 5, 8]',
  'sankey-beta\n\npve,CT 105,10\npve,VM 123,20',
  'block-beta\n  columns 2\n  a["one"] b["two"]\n  c["three"]:2',
  'packet-beta\n  0-15: "source"\n  16-31: "target"',
  'architecture-beta\n  group rack(cloud)[Rack]\n  service db(database)[Data] in rack\n  service web(server)[Web] in rack\n  db:L -- R:web',
  'kanban\n  todo[To do]\n    t1[Add a disk]\n  done[Done]\n    t2[Update pve]',
  'requirementDiagram\n  requirement ask {\n    id: 1\n    text: asks first\n    risk: high\n    verifymethod: test\n  }\n  element gate {\n    type: code\n  }\n  gate - satisfies -> ask',
  'C4Context\n  Person(you, "You", "operates")\n  System(jarvis, "JARVIS", "asks first")\n  Rel(you, jarvis, "asks", "HTTPS")',
  'radar-beta\n  axis a["CPU"], b["RAM"], c["Disk"]\n  curve pve{3, 5, 4}',
  'treemap-beta\n  "pve"\n    "CT 105": 10\n    "VM 123": 20',
]

/** Draws these diagrams on a page with our CSP and on one without, and expects the same pictures; and that no other text becomes markup or a script. */
export async function expectSamePictures(stage: Stage, kinds: readonly string[]): Promise<void> {
  // A Gantt chart marks the current time, rounded to a pixel: two drawings at different times can differ.
  const now = Date.now()
  const drawn = async (bypassCSP: boolean) => {
    const entries = entriesOf([user('Draw.')], now)
    const sessions = [{ id: 'ses_one', title: 'One', updatedAt: now, runId: 'run_1', entries }]
    const server = await stage.play({ ...morning(now), sessions })
    const page = await stage.open(server, '/settings', { own: { bypassCSP } })
    await page.clock.setFixedTime(now)
    const plain = await page.evaluate(`(() => {
      const as = (use) => { try { use(); return 'taken' } catch (error) { return error.name } }
      return [
        as(() => { document.createElement('p').innerHTML = '<b>x</b>' }),
        as(() => new Worker('/api/status')),
        as(() => trustedTypes.createPolicy('other', {})),
      ]
    })()`)
    // Some kinds throw dice, for hand-drawn lines and names.
    await page.addInitScript('let dice = 1; Math.random = () => (dice = (dice * 16807) % 2147483647) / 2147483647')
    await page.goto(`${server.url}/chat/ses_one`)
    await page.getByText('Draw.').waitFor()
    const pictures: (string | null)[] = []
    // One after the other: the order in which they are drawn decides over their names and dice.
    for (const [at, diagram] of kinds.entries()) {
      server.append('ses_one', assistant(text(`\`\`\`mermaid\n${diagram}\n\`\`\``)))
      pictures.push(await page.locator('.drawing img').nth(at).getAttribute('src'))
    }
    const made = await page.evaluate(`(() => {
      const p = document.createElement('p')
      p.innerHTML = '<b>x</b><img src=x onerror="hit=1">'
      return p.innerHTML
    })()`)
    return {
      plain,
      made,
      // The sanitiser repeats the namespace on `<g>`. The picture is the same.
      pictures: pictures.map((one) =>
        decodeURIComponent(one ?? '').replaceAll('<g xmlns="http://www.w3.org/2000/svg">', '<g>'),
      ),
    }
  }
  const free = await drawn(true)
  const bound = await drawn(false)
  expect(kinds.filter((_, at) => bound.pictures[at] !== free.pictures[at])).toEqual([])
  expect([bound.plain, bound.made]).toEqual([['TypeError', 'TypeError', 'TypeError'], '<b>x</b><img src="x">'])
}
