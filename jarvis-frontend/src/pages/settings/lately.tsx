import { readJournal } from '../../api/journal.ts'
import { useNameOf } from '../../api/names.ts'
import { useLoad } from '../../api/use-load.ts'
import { lineOfRow, rowsOf } from '../../features/journal/calls.ts'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { ago } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'

const most = 5

/** A person's newest journal entries, such as decisions. */
export function Lately({ id }: { id: string }) {
  const nameOf = useNameOf()
  const now = useNow(60_000)
  const { data, problem } = useLoad(`lately ${id}`, () => readJournal({ actor: id }, undefined, most), ['connect'])
  if (data === undefined && problem === undefined) return null
  return (
    <>
      <PanelHead as="h4" title="Lately">
        <Link to={`/journal?actor=${encodeURIComponent(id)}`}>In the journal</Link>
      </PanelHead>
      <FormProblem text={problem?.message} />
      {data?.items.length === 0 && <p className="rest-note">Nothing.</p>}
      <ul className="lately">
        {rowsOf(data?.items ?? [], data?.besides).map((row) => {
          const { word, call, args, outcome, end } = lineOfRow(row, nameOf)
          return (
            <li key={row.entry.seq}>
              <Mark kind={end === undefined ? 'stopped' : 'bad'} size={11} />
              <span>
                <Visible text={[call || word, args].filter((part) => part !== '').join(' ')} />
                <small>
                  <Visible text={row.entry.kind === 'sign_in' ? withoutAddress(outcome) : outcome} />
                </small>
              </span>
              <span className="num text-dim">{ago(row.entry.at, now)}</span>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** Removes the IP address from a sign-in's outcome (`… from 192.0.2.1`), because other people see this list. */
const withoutAddress = (outcome: string) => outcome.replace(/ from \S+$/, '')
