define(`ab',`x')define(`cd',`ab')define(`ef',`cd(ab)')dnl
