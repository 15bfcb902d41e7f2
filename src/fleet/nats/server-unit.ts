import { join } from 'node:path'
import { SERVER_FILES, SERVER_NAME_VARIABLE, type ServerPlace } from './server-config.ts'

/** systemd unit of the server, with user nats of Debian's nats-server package. */
export function serverUnit({ directory, store, cluster }: ServerPlace): string {
  const config = join(directory, SERVER_FILES.config)
  return `# Made by "driftgate fleet init".
[Unit]
Description=nats-server of a driftgate fleet
Wants=network-online.target
After=network-online.target

[Service]
User=nats
Group=nats
${cluster === undefined ? '' : `Environment=${SERVER_NAME_VARIABLE}=%H\n`}ExecStart=/usr/sbin/nats-server --config ${config}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
LimitNOFILE=65536
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ReadWritePaths=${store}

[Install]
WantedBy=multi-user.target
`
}
