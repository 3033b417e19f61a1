type Props = {
  title: string
  /** The level of the heading; undefined: `h2`. */
  as?: 'h2' | 'h4'
  children?: React.ReactNode
}

export function PanelHead({ title, as: Title = 'h2', children }: Props) {
  return (
    <div className="panel-head">
      <Title>{title}</Title>
      {children !== undefined && <div className="panel-aside">{children}</div>}
    </div>
  )
}
