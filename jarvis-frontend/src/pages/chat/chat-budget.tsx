import type { EntryOf } from 'protocol'
import { signedIn } from '../../api/auth.ts'
import { useValue } from '../../lib/use-value.ts'
import { BudgetLine } from './budget-line.tsx'

/** A line about a run's budget, with a button for operators that raises it. */
export function ChatBudget({ entry, isOpen }: { entry: EntryOf<'budget'>; isOpen: boolean }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  return <BudgetLine entry={entry} isOpen={isOpen} isOperator={isOperator} />
}
