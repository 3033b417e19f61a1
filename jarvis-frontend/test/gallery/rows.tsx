import { ApiError } from 'protocol/client'
import { type ReactNode, useRef, useState } from 'react'
import { people } from '../../src/api/people.ts'
import { Problem, Resting, Skeletons } from '../../src/app/load-state.tsx'
import { Over } from '../../src/app/over.tsx'
import { SearchField } from '../../src/app/search-field.tsx'
import { TierCounts } from '../../src/app/tier-counts.tsx'
import { AlertList } from '../../src/features/alerts/list.tsx'
import { linesOf } from '../../src/features/alerts/words.ts'
import { GuestTable } from '../../src/features/cluster/guest-table.tsx'
import { guestMark } from '../../src/features/cluster/health.ts'
import { rowsOf } from '../../src/features/cluster/rows.ts'
import { ConfirmationCard } from '../../src/features/confirmations/card.tsx'
import type { Matter } from '../../src/features/confirmations/phase.ts'
import { Boundary } from '../../src/ui/boundary.tsx'
import { Boxed, Visible } from '../../src/ui/boxed.tsx'
import { Chart } from '../../src/ui/chart.tsx'
import { CodeLine } from '../../src/ui/code-line.tsx'
import { CopyButton } from '../../src/ui/copy-button.tsx'
import { Expiry, TimeLeft } from '../../src/ui/countdown.tsx'
import { Empty } from '../../src/ui/empty.tsx'
import { FileDiff } from '../../src/ui/file-diff.tsx'
import { FilledRing } from '../../src/ui/filled-ring.tsx'
import { Highlighted } from '../../src/ui/highlight.tsx'
import { Icon } from '../../src/ui/icon.tsx'
import { KeyMark } from '../../src/ui/key-mark.tsx'
import { Link } from '../../src/ui/link.tsx'
import { Mark } from '../../src/ui/mark.tsx'
import { Meter } from '../../src/ui/meter.tsx'
import { PanelHead } from '../../src/ui/panel-head.tsx'
import { QrCode } from '../../src/ui/qr-code.tsx'
import { Ring } from '../../src/ui/ring.tsx'
import { Spark } from '../../src/ui/spark.tsx'
import { Tier, TierLegend, Turning } from '../../src/ui/tier.tsx'
import { Username } from '../../src/ui/username.tsx'
import { card } from '../scenery/entries.ts'
import { firingIn } from '../scenery/firing.ts'
import { lab } from '../scenery/lab.ts'
import '../../src/pages/alerts/page.css'
import '../../src/pages/cluster/page.css'

export type Row = { name: string; states: Readonly<Record<string, ReactNode>> }

const now = Date.now()
const state = lab(now)
const hour = Array.from({ length: 60 }, (_, at) => (at > 40 && at < 46 ? undefined : 0.4 + 0.3 * Math.sin(at / 7)))
const hostile = 'web\u202E01\u200B <b>x</b>'
const nothing = () => undefined
// There is no server that could be asked.
people.put({ items: [{ id: 'operator', name: 'Ada', role: 'owner' }], removed: [], roles: [] })

function Cards({ matter }: { matter: Partial<Matter> }) {
  const asked = card({ toolUseId: 'use_1', toolName: 'restart_vm', vmid: 123 }, now)
  const whole = { card: asked, sessionId: 'ses_1', ...matter }
  const hand = { decide: async () => undefined }
  return <ConfirmationCard matter={whole} guests={state.guests} hand={hand} unknown={null} unknownOf={() => null} />
}

function Alerts({ count }: { count: number }) {
  const scroller = useRef<HTMLDivElement>(null)
  const [one] = firingIn(state)
  const many = Array.from({ length: count }, (_, at) =>
    one === undefined ? [] : [{ ...one, id: `alert ${at}` }],
  ).flat()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section ref={scroller} className="scroll" style={{ height: 240 }} aria-label={`${count} alerts`} tabIndex={0}>
      <AlertList
        lines={linesOf(many)}
        chosen="alert 1"
        linkTo={(id) => `#${id}`}
        titleOf={() => 'Heat of a node'}
        now={now}
        isLive
        scroller={scroller}
      />
    </section>
  )
}

/** For a component that pages show only where there is room. */
function Wide({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section style={{ overflowX: 'auto' }} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

function Dialog() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Open the dialog
      </button>
      {isOpen && (
        <Over label="A dialog" onClose={() => setOpen(false)}>
          <p>It keeps the focus inside.</p>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Close
          </button>
        </Over>
      )}
    </>
  )
}

function Breaks(): ReactNode {
  throw new Error('This component cannot be drawn.')
}

const approved = { decision: 'approved', by: 'operator', at: now - 60_000 } as const

/** One row a component; a test holds that each component of `src/ui` has one. */
export const rows: readonly Row[] = [
  {
    name: 'Problem',
    states: {
      'not reached': (
        <Problem error={new ApiError('unreachable', 'JARVIS could not be reached. Is it running?')} kept />
      ),
      failed: <Problem error={new ApiError('internal', 'Something went wrong.')} onAgain={nothing} />,
    },
  },
  { name: 'Skeletons', states: { loading: <Skeletons rows={3} /> } },
  {
    name: 'Resting',
    states: {
      'without the right': <Resting isOperator={false} isLive who="owner" />,
      'without a connection': <Resting isOperator isLive={false} />,
    },
  },
  {
    name: 'Empty',
    states: {
      empty: (
        <Empty title="Nothing yet.">
          <p>It appears here.</p>
        </Empty>
      ),
    },
  },
  {
    name: 'Boundary',
    states: {
      broken: (
        <Boundary instead={<p>It could not be drawn.</p>}>
          <Breaks />
        </Boundary>
      ),
    },
  },
  { name: 'Over', states: { closed: <Dialog /> } },
  {
    name: 'SearchField',
    states: {
      empty: (
        <SearchField
          className="search"
          label="Search"
          placeholder="Titles and words"
          maxLength={100}
          query=""
          onSearch={nothing}
        />
      ),
      filled: (
        <SearchField
          className="search"
          label="Search again"
          placeholder=""
          maxLength={100}
          query="backup"
          onSearch={nothing}
        />
      ),
    },
  },
  {
    name: 'GuestTable',
    states: {
      'by node': (
        <Wide label="Guests">
          {' '}
          <GuestTable
            rows={rowsOf(state, state.guests, { sort: { key: 'node', isDown: false }, isGrouped: true })}
            markOf={(guest) => guestMark(guest, [], true)}
            isBusy={({ vmid }) => vmid === 104}
            ghosts={new Map()}
            now={now}
            sort={{ key: 'node', isDown: false }}
            chosen="123"
            linkTo={() => '#guests'}
          />
        </Wide>
      ),
    },
  },
  { name: 'AlertList', states: { few: <Alerts count={3} />, '2,000': <Alerts count={2_000} /> } },
  {
    name: 'ConfirmationCard',
    states: {
      waits: <Cards matter={{}} />,
      executes: (
        <Cards matter={{ resolved: approved, startedAt: now, progress: 'Waiting until 123 is seen running' }} />
      ),
      done: <Cards matter={{ resolved: approved, result: { isError: false, summary: 'Task OK', at: now } }} />,
      failed: <Cards matter={{ resolved: approved, result: { isError: true, summary: 'Task failed', at: now } }} />,
      denied: <Cards matter={{ resolved: { ...approved, decision: 'denied', note: 'Not during the film.' } }} />,
    },
  },
  {
    name: 'Chart',
    states: {
      plain: (
        <Chart
          title="CPU"
          from={now - 3_600_000}
          stepMs={60_000}
          values={hour}
          top={1}
          format={percent}
          group="cpu"
          over="1 h"
        />
      ),
      'with a limit': (
        <Chart
          title="Heat"
          from={now - 3_600_000}
          stepMs={60_000}
          values={hour}
          top={1}
          format={percent}
          group="heat"
          over="1 h"
          limit={0.6}
          marks={[{ number: 1, at: now - 1_800_000 }]}
        />
      ),
    },
  },
  {
    name: 'Spark',
    states: {
      'with a gap': <Spark values={hour} label="CPU" />,
      unknown: <Spark values={[undefined]} label="CPU of nothing" />,
    },
  },
  {
    name: 'Meter',
    states: {
      usual: <Meter ratio={0.4} />,
      warns: <Meter ratio={0.8} tone="warn" />,
      full: <Meter ratio={1} tone="bad" />,
    },
  },
  {
    name: 'Countdown',
    states: {
      usual: <Expiry from={Date.now()} until={Date.now() + 754_000} />,
      'under a minute': <TimeLeft until={Date.now() + 42_000} />,
    },
  },
  {
    name: 'Ring',
    states: {
      quiet: <Ring size={32} arcs={['well', 'well']} core="quiet" />,
      working: <Ring size={32} arcs={['well', 'warn', 'away']} core="working" />,
      waiting: <Ring size={32} arcs={['bad']} core="waiting" />,
      lost: <Ring size={32} arcs={['away']} core="lost" />,
    },
  },
  { name: 'FilledRing', states: { full: <FilledRing share={1} />, half: <FilledRing share={0.5} /> } },
  { name: 'Tier', states: { all: <TierLegend />, running: <Tier tier="green" isRunning />, turning: <Turning /> } },
  {
    name: 'TierCounts',
    states: { three: <TierCounts steps={[{ tier: 'green' }, { tier: 'green' }, { tier: 'red' }]} /> },
  },
  {
    name: 'Mark',
    states: {
      all: (
        ['ok', 'warn', 'bad', 'unknown', 'running', 'stopped', 'paused', 'none', 'missed', 'question', 'step'] as const
      ).map((kind) => (
        <span key={kind}>
          <Mark kind={kind} size={14} /> {kind}{' '}
        </span>
      )),
    },
  },
  {
    name: 'Icon',
    states: {
      'in a button': (
        <button type="button" className="icon-button" aria-label="Search">
          <Icon name="search" />
        </button>
      ),
    },
  },
  { name: 'KeyMark', states: { labelled: <KeyMark label="signed" /> } },
  {
    name: 'Link',
    states: {
      text: (
        <Link to="/cluster" className="text-link">
          Open the cluster
        </Link>
      ),
    },
  },
  {
    name: 'PanelHead',
    states: {
      plain: <PanelHead title="Nodes" />,
      'with an aside': (
        <PanelHead title="Guests" as="h4">
          12 of 24
        </PanelHead>
      ),
    },
  },
  { name: 'CopyButton', states: { usual: <CopyButton text="jarvis status" label="Copy the command" /> } },
  { name: 'Visible', states: { hostile: <Visible text={hostile} />, boxed: <Boxed text={hostile} /> } },
  {
    name: 'CodeLine',
    states: {
      spaces: (
        <code>
          <CodeLine text={'\tname:   web  \u202Etxt.exe'} />
        </code>
      ),
    },
  },
  { name: 'Highlighted', states: { found: <Highlighted text="The backup of vm 101 is late." query="backup 101" /> } },
  {
    name: 'FileDiff',
    states: {
      changed: (
        <FileDiff
          file={{
            path: 'caddy/Caddyfile',
            change: 'changed',
            added: 1,
            removed: 1,
            left: 0,
            lines: ['@@ -1,2 +1,2 @@', ' lab {', '-  tls off', '+  tls on'],
          }}
        />
      ),
    },
  },
  {
    name: 'QrCode',
    states: { usual: <QrCode text="https://jarvis.lan/invite#abc" label="The invitation as a QR code" /> },
  },
  {
    name: 'Username',
    states: {
      hidden: (
        <form>
          <Username name="operator" />
        </form>
      ),
    },
  },
]

function percent(value: number): string {
  return `${Math.round(value * 100)} %`
}
