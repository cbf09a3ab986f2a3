package web

import "time"

// Config tunes a Server; the zero value is usable on a loopback address.
type Config struct {
	// Origins are the exact origins that browsers may come from, such as "https://tide.example". Hosts are further exact
	// Host values, with their port, under which programs reach the server; the hosts of Origins are always among them.
	// With neither, only loopback names are served, each to pages of its own origin (case D7 #64).
	Origins []string
	Hosts   []string
	Limits  Limits
	Now     func() time.Time
}

// Limits bound what one client may cost (protocol section 3, "Limits"). Zero fields take the default.
type Limits struct {
	MessageBytes      int64         // of one inbound frame
	BodyBytes         int64         // of one HTTP request
	SessionsPerSocket int           // attached at a time
	SocketsPerOwner   int           // open at a time
	RequestsPerSecond float64       // requests and notifications of one socket
	RequestBurst      int           // and how many may come at once
	RequestsInFlight  int           // unanswered requests of one socket
	QueueMessages     int           // outbound frames that may wait
	QueueBytes        int           // and their size
	WriteWithin       time.Duration // one frame or event
	PingEvery         time.Duration
	PongWithin        time.Duration
	InitializeWithin  time.Duration
	SocketAge         time.Duration // then a hand-over
	DataKeepalive     time.Duration // data frames for balancers that count nothing else; negative = off, the default
	Feeds             int           // open event streams
	Heartbeat         time.Duration // of an event stream
}

// DefaultLimits are those of protocol section 3.
func DefaultLimits() Limits {
	return Limits{
		MessageBytes: 1 << 20, BodyBytes: 4 << 20, SessionsPerSocket: 20, SocketsPerOwner: 10,
		RequestsPerSecond: 20, RequestBurst: 40, RequestsInFlight: 64, QueueMessages: 512, QueueBytes: 4 << 20,
		WriteWithin: 10 * time.Second, PingEvery: 25 * time.Second, PongWithin: 20 * time.Second,
		InitializeWithin: 10 * time.Second, SocketAge: time.Hour, DataKeepalive: -1,
		Feeds: 256, Heartbeat: 15 * time.Second,
	}
}

func (c Config) withDefaults() Config {
	l, d := &c.Limits, DefaultLimits()
	or(&l.MessageBytes, d.MessageBytes)
	or(&l.BodyBytes, d.BodyBytes)
	or(&l.SessionsPerSocket, d.SessionsPerSocket)
	or(&l.SocketsPerOwner, d.SocketsPerOwner)
	or(&l.RequestsPerSecond, d.RequestsPerSecond)
	or(&l.RequestBurst, d.RequestBurst)
	or(&l.RequestsInFlight, d.RequestsInFlight)
	or(&l.QueueMessages, d.QueueMessages)
	or(&l.QueueBytes, d.QueueBytes)
	or(&l.WriteWithin, d.WriteWithin)
	or(&l.PingEvery, d.PingEvery)
	or(&l.PongWithin, d.PongWithin)
	or(&l.InitializeWithin, d.InitializeWithin)
	or(&l.SocketAge, d.SocketAge)
	or(&l.DataKeepalive, d.DataKeepalive)
	or(&l.Feeds, d.Feeds)
	or(&l.Heartbeat, d.Heartbeat)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func or[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
