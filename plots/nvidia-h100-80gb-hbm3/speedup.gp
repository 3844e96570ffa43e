# Speedups with their data. Draw it again: gnuplot speedup.gp
if (!exists("svg")) svg = "speedup.svg"
if (!exists("png")) png = "speedup.png"
set encoding utf8
# middle, left, right, bottom, top, size
$bars << EOD
-0.3150 -0.4116 -0.2184 0 0.97727 0
-0.1050 -0.2016 -0.0084 0 0.98253 1
0.1050 0.0084 0.2016 0 0.99687 2
0.3150 0.2184 0.4116 0 0.98848 3
0.6850 0.5884 0.7816 0 1.0008 0
0.8950 0.7984 0.9916 0 1.0003 1
1.1050 1.0084 1.2016 0 0.99922 2
1.3150 1.2184 1.4116 0 0.99272 3
1.6850 1.5884 1.7816 0 0.9867 0
1.8950 1.7984 1.9916 0 0.97938 1
2.1050 2.0084 2.2016 0 0.99642 2
2.3150 2.2184 2.4116 0 0.99106 3
2.6850 2.5884 2.7816 0 2.742 0
2.8950 2.7984 2.9916 0 1.2353 1
3.1050 3.0084 3.2016 0 1.5304 2
3.6850 3.5884 3.7816 0 3.6306 0
3.8950 3.7984 3.9916 0 2.2368 1
4.1050 4.0084 4.2016 0 1.6315 2
4.6850 4.5884 4.7816 0 3.1296 0
4.8950 4.7984 4.9916 0 2.2525 1
5.1050 5.0084 5.2016 0 1.6722 2
5.6850 5.5884 5.7816 0 1.0111 0
5.8950 5.7984 5.9916 0 1.0082 1
6.1050 6.0084 6.2016 0 1.0107 2
6.3150 6.2184 6.4116 0 1.0035 3
6.6850 6.5884 6.7816 0 1.0117 0
6.8950 6.7984 6.9916 0 0.98897 1
7.1050 7.0084 7.2016 0 1.0287 2
7.3150 7.2184 7.4116 0 1.0372 3
7.6850 7.5884 7.7816 0 1.005 0
7.8950 7.7984 7.9916 0 1.0388 1
8.1050 8.0084 8.2016 0 1.044 2
8.3150 8.2184 8.4116 0 1.0546 3
8.6850 8.5884 8.7816 0 1.0157 0
8.8950 8.7984 8.9916 0 0.9939 1
9.1050 9.0084 9.2016 0 1.0187 2
9.3150 9.2184 9.4116 0 0.9917 3
9.6850 9.5884 9.7816 0 0.98358 0
9.8950 9.7984 9.9916 0 1.0424 1
10.1050 10.0084 10.2016 0 1.0039 2
10.3150 10.2184 10.4116 0 0.98605 3
10.6850 10.5884 10.7816 0 1.0231 0
10.8950 10.7984 10.9916 0 1.0252 1
11.1050 11.0084 11.2016 0 1.0514 2
11.3150 11.2184 11.4116 0 0.98718 3
11.6850 11.5884 11.7816 0 1.7902 0
11.8950 11.7984 11.9916 0 1.5507 1
12.1050 12.0084 12.2016 0 2.2596 2
12.3150 12.2184 12.4116 0 2.3706 3
12.6850 12.5884 12.7816 0 1.1612 0
12.8950 12.7984 12.9916 0 1.2089 1
13.1050 13.0084 13.2016 0 0.97009 2
13.3150 13.2184 13.4116 0 0.96724 3
13.6850 13.5884 13.7816 0 1.1874 0
13.8950 13.7984 13.9916 0 1.0552 1
14.1050 14.0084 14.2016 0 0.99445 2
14.3150 14.2184 14.4116 0 0.99909 3
14.6850 14.5884 14.7816 0 1.1904 0
14.8950 14.7984 14.9916 0 1.0564 1
15.1050 15.0084 15.2016 0 0.99095 2
15.3150 15.2184 15.4116 0 0.99448 3
15.6850 15.5884 15.7816 0 2.4987 0
15.8950 15.7984 15.9916 0 1.4984 1
16.1050 16.0084 16.2016 0 2.2517 2
16.3150 16.2184 16.4116 0 2.4708 3
16.6850 16.5884 16.7816 0 1.7712 0
16.8950 16.7984 16.9916 0 1.3657 1
17.1050 17.0084 17.2016 0 1.0805 2
17.3150 17.2184 17.4116 0 1.0592 3
17.6850 17.5884 17.7816 0 1.324 0
17.8950 17.7984 17.9916 0 1.392 1
18.1050 18.0084 18.2016 0 1.0811 2
18.3150 18.2184 18.4116 0 1.0411 3
18.6850 18.5884 18.7816 0 2.6587 0
18.8950 18.7984 18.9916 0 4.8045 1
19.1050 19.0084 19.2016 0 6.8081 2
19.3150 19.2184 19.4116 0 7.1977 3
19.6850 19.5884 19.7816 0 1.1154 0
19.8950 19.7984 19.9916 0 0.99725 1
20.1050 20.0084 20.2016 0 0.93702 2
20.3150 20.2184 20.4116 0 0.94341 3
20.6850 20.5884 20.7816 0 1.1 0
20.8950 20.7984 20.9916 0 0.98955 1
21.1050 21.0084 21.2016 0 0.9341 2
21.3150 21.2184 21.4116 0 0.93658 3
21.6850 21.5884 21.7816 0 1.0981 0
21.8950 21.7984 21.9916 0 1.0044 1
22.1050 22.0084 22.2016 0 0.9991 2
22.3150 22.2184 22.4116 0 1.0018 3
22.6850 22.5884 22.7816 0 1.0282 0
22.8950 22.7984 22.9916 0 1.0062 1
23.1050 23.0084 23.2016 0 0.98608 2
23.3150 23.2184 23.4116 0 1.0133 3
23.6850 23.5884 23.7816 0 0.96949 0
23.8950 23.7984 23.9916 0 1.0077 1
24.1050 24.0084 24.2016 0 1.0564 2
24.3150 24.2184 24.4116 0 0.99684 3
24.6850 24.5884 24.7816 0 0.97515 0
24.8950 24.7984 24.9916 0 0.95872 1
25.1050 25.0084 25.2016 0 1.0017 2
25.3150 25.2184 25.4116 0 0.99306 3
25.6850 25.5884 25.7816 0 0.96883 0
25.8950 25.7984 25.9916 0 0.9666 1
26.1050 26.0084 26.2016 0 0.98002 2
26.3150 26.2184 26.4116 0 0.9971 3
26.6850 26.5884 26.7816 0 1.1036 0
26.8950 26.7984 26.9916 0 0.99525 1
27.1050 27.0084 27.2016 0 0.98284 2
27.3150 27.2184 27.4116 0 0.99696 3
27.6850 27.5884 27.7816 0 1.0173 0
27.8950 27.7984 27.9916 0 1.0113 1
28.1050 28.0084 28.2016 0 1.0103 2
28.3150 28.2184 28.4116 0 0.9983 3
28.6850 28.5884 28.7816 0 1.003 0
28.8950 28.7984 28.9916 0 0.9762 1
29.1050 29.0084 29.2016 0 0.99272 2
29.3150 29.2184 29.4116 0 0.99675 3
29.6850 29.5884 29.7816 0 1.014 0
29.8950 29.7984 29.9916 0 0.9944 1
30.1050 30.0084 30.2016 0 0.99137 2
30.3150 30.2184 30.4116 0 1.0048 3
30.6850 30.5884 30.7816 0 1.0084 0
30.8950 30.7984 30.9916 0 0.98166 1
31.1050 31.0084 31.2016 0 1.0217 2
31.3150 31.2184 31.4116 0 0.99695 3
31.6850 31.5884 31.7816 0 0.96722 0
31.8950 31.7984 31.9916 0 0.96321 1
32.1050 32.0084 32.2016 0 1.0098 2
32.3150 32.2184 32.4116 0 1.0157 3
32.6850 32.5884 32.7816 0 1.0326 0
32.8950 32.7984 32.9916 0 1.3306 1
33.1050 33.0084 33.2016 0 0.98229 2
33.3150 33.2184 33.4116 0 0.99098 3
EOD
set lmargin at screen 0.03586
set rmargin at screen 0.93038
set tmargin at screen 0.84
set bmargin at screen 0.31
set xrange [-0.60:33.60]
set yrange [0:8.637]
set format y "%gx"
set ylabel "Speedup over the best peer (ratio of times)" textcolor rgb "#202020"
set border 3 linecolor rgb "#404040"
set xtics nomirror scale 0 noenhanced rotate by 50 right ('add f32' 0, 'add f16' 1, 'add bf16' 2, 'conv2d f32' 3, 'conv2d f16' 4, 'conv2d bf16' 5, 'gelu f32' 6, 'gelu f16' 7, 'gelu bf16' 8, 'layernorm f32' 9, 'layernorm f16' 10, 'layernorm bf16' 11, 'matmul f32' 12, 'matmul tf32 (tf32)' 13, 'matmul f16' 14, 'matmul bf16' 15, 'matmul_bias_act f32' 16, 'matmul_bias_act f16' 17, 'matmul_bias_act bf16' 18, 'mha f32' 19, 'mha f16' 20, 'mha bf16' 21, 'reduce_sum f32' 22, 'reduce_sum f16' 23, 'reduce_sum bf16' 24, 'rmsnorm f32' 25, 'rmsnorm f16' 26, 'rmsnorm bf16' 27, 'softmax f32' 28, 'softmax f16' 29, 'softmax bf16' 30, 'transpose f32' 31, 'transpose f16' 32, 'transpose bf16' 33) textcolor rgb "#202020"
set ytics nomirror textcolor rgb "#202020"
set grid ytics linetype 1 linecolor rgb "#E4E4E4"
set style fill solid 1.0 noborder
set label 1000 'Speedup of the best kernels: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.03586, 0.955 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.03586, 0.895 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Fastest peer at each size / kernel, cold figures; above 1 the kernel is faster.' at screen 0.03586, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 front
set label '0.98' at -0.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at -0.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 0.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 0.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 0.6850, 1.0008 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 0.8950, 1.0003 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 1.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 1.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 1.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 1.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 2.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 2.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.74' at 2.6850, 2.742 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.24' at 2.8950, 1.2353 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.53' at 3.1050, 1.5304 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '3.63' at 3.6850, 3.6306 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.24' at 3.8950, 2.2368 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.63' at 4.1050, 1.6315 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '3.13' at 4.6850, 3.1296 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.25' at 4.8950, 2.2525 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.67' at 5.1050, 1.6722 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 5.6850, 1.0111 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 5.8950, 1.0082 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 6.1050, 1.0107 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 6.3150, 1.0035 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 6.6850, 1.0117 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 6.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 7.1050, 1.0287 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 7.3150, 1.0372 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 7.6850, 1.005 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 7.8950, 1.0388 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 8.1050, 1.044 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 8.3150, 1.0546 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 8.6850, 1.0157 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 8.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 9.1050, 1.0187 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 9.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 9.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 9.8950, 1.0424 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 10.1050, 1.0039 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 10.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 10.6850, 1.0231 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 10.8950, 1.0252 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 11.1050, 1.0514 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 11.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.79' at 11.6850, 1.7902 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.55' at 11.8950, 1.5507 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.26' at 12.1050, 2.2596 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.37' at 12.3150, 2.3706 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.16' at 12.6850, 1.1612 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.21' at 12.8950, 1.2089 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 13.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 13.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.19' at 13.6850, 1.1874 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 13.8950, 1.0552 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 14.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 14.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.19' at 14.6850, 1.1904 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 14.8950, 1.0564 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 15.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 15.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.50' at 15.6850, 2.4987 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.50' at 15.8950, 1.4984 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.25' at 16.1050, 2.2517 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.47' at 16.3150, 2.4708 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.77' at 16.6850, 1.7712 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.37' at 16.8950, 1.3657 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.08' at 17.1050, 1.0805 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 17.3150, 1.0592 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.32' at 17.6850, 1.324 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.39' at 17.8950, 1.392 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.08' at 18.1050, 1.0811 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 18.3150, 1.0411 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.66' at 18.6850, 2.6587 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '4.80' at 18.8950, 4.8045 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '6.81' at 19.1050, 6.8081 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '7.20' at 19.3150, 7.1977 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.12' at 19.6850, 1.1154 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.997' at 19.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 20.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 20.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.10' at 20.6850, 1.1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 20.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 21.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 21.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.10' at 21.6850, 1.0981 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 21.8950, 1.0044 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 22.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 22.3150, 1.0018 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 22.6850, 1.0282 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 22.8950, 1.0062 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 23.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 23.3150, 1.0133 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 23.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 23.8950, 1.0077 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 24.1050, 1.0564 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 24.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 24.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.96' at 24.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 25.1050, 1.0017 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 25.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 25.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 25.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 26.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.997' at 26.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.10' at 26.6850, 1.1036 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.995' at 26.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 27.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 27.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 27.6850, 1.0173 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 27.8950, 1.0113 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 28.1050, 1.0103 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.998' at 28.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 28.6850, 1.003 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 28.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 29.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 29.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 29.6850, 1.014 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 29.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 30.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 30.3150, 1.0048 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 30.6850, 1.0084 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 30.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 31.1050, 1.0217 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 31.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 31.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.96' at 31.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 32.1050, 1.0098 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 32.3150, 1.0157 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 32.6850, 1.0326 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.33' at 32.8950, 1.3306 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 33.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 33.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set key at screen 0.93671, 0.84 left top Left reverse noenhanced textcolor rgb "#202020" samplen 1.5 spacing 1.2 font ",11"
set terminal svg size 2370,600 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $bars using ($6==0?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#BFD7EA" notitle, \
  NaN with boxes linecolor rgb "#BFD7EA" title 'small', \
  $bars using ($6==1?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#7FB0D5" notitle, \
  NaN with boxes linecolor rgb "#7FB0D5" title 'medium', \
  $bars using ($6==2?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#3F7FB5" notitle, \
  NaN with boxes linecolor rgb "#3F7FB5" title 'large', \
  $bars using ($6==3?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#0B3C6F" notitle, \
  NaN with boxes linecolor rgb "#0B3C6F" title 'xlarge', \
  NaN with lines linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 title 'best peer' 
set terminal pngcairo size 2370,600 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
