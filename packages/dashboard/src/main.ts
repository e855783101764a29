import { mountDashboard } from './app/mount.tsx'
import { applyTheme, currentTheme } from './lib/theme.ts'
import './styles.css'

applyTheme(currentTheme())

const root = document.getElementById('root')
if (!root) throw new Error('the page has no element "root"')
mountDashboard(root)
