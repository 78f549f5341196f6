"""Stage 5, TLS: asyncio's own protocol class encrypts, between a transport and a protocol.

It belongs to asyncio's insides: this is the one file that asks for any of them.
"""

import ssl
from asyncio.sslproto import SSLProtocol


def options(context, **timeouts):
    """Return the timeouts of TLS; ValueError where one is given without it."""
    for name, seconds in timeouts.items():
        if seconds is not None and not context:
            raise ValueError(f"{name} is only meaningful with ssl")
    return timeouts


async def encrypted(loop, transport, protocol, context, **options):
    """Shake hands; return the transport that the protocol is to use from now on."""
    shaken = loop.create_future()
    tls = SSLProtocol(loop, protocol, None if context is True else context, shaken, **options)
    transport.pause_reading()  # nothing may come before its connection is made
    transport.set_protocol(tls)
    tls.connection_made(transport)
    transport.resume_reading()
    try:
        await shaken
    except BaseException:
        transport.close()
        raise
    return tls._app_transport


async def start_tls(loop, transport, protocol, sslcontext, **options):
    """Encrypt a connection from here on; return what stands in for its transport."""
    if not isinstance(sslcontext, ssl.SSLContext):
        raise TypeError(f"sslcontext is expected to be an SSLContext, got {sslcontext!r}")
    if not getattr(transport, "_start_tls_compatible", False):  # TLS's own transport says so too
        raise TypeError(f"transport {transport!r} is not supported by start_tls()")
    return await encrypted(
        loop, transport, protocol, sslcontext, call_connection_made=False, **options
    )
