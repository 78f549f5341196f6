"""The two echo servers of the source [004] as published, without their prints.

Lesson 17 shows this code, so nothing is added to it: no hints, no docstrings. The 0.1 s that it
waits is `delay` here.
"""

import asyncio
import socketserver
import time


class MyTCPHandler(socketserver.BaseRequestHandler):
    def handle(self):
        # self.request is the TCP socket connected to the client
        self.data = self.request.recv(1024).strip()
        # DB request
        time.sleep(self.server.delay)  # sleep 100 milliseconds, simulating IO
        self.request.sendall(self.data.upper())


class EchoServerProtocol(asyncio.Protocol):
    def __init__(self, delay):
        self.delay = delay

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        message = data.decode()
        task = asyncio.get_running_loop().create_task(self.simulate_network_io(message))  # noqa
        task.add_done_callback(self.handle_network_io_result)

    async def simulate_network_io(self, message: str):
        # DB request
        return await asyncio.sleep(self.delay, result=message.upper())

    def handle_network_io_result(self, task):
        message = task.result()
        self.transport.write(bytes(message, "utf-8"))
        self.transport.close()
