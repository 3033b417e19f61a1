import { Icon } from '../../ui/icon.tsx'

export function PanelToggle({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  const label = isOpen ? 'Hide the cluster panel' : 'Show the cluster panel'
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={`${label}  ]`}
      aria-pressed={isOpen}
      onClick={onToggle}
    >
      <Icon name="panel" />
    </button>
  )
}
