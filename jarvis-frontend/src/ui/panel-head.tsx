export function PanelHead({ title, children }: { title: string; children?: React.ReactNode }) {
  return (
    <div className="panel-head">
      <h2>{title}</h2>
      {children !== undefined && <div className="panel-aside">{children}</div>}
    </div>
  )
}
